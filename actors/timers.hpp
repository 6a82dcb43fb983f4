#pragma once

#include "actors/actor_messages.hpp"
#include "actors/timekeeper.hpp"
#include "persistence/readers.hpp"

#include <caf/event_based_actor.hpp>

#include <atomic>
#include <functional>
#include <set>
#include <unordered_map>

namespace callboard::actors {

using arm_atom = caf::atom_constant<caf::atom("arm")>;  ///< a deadline was committed: entity, when

struct timer_metrics {
  std::atomic<std::int64_t> waiting{0};
  std::atomic<std::int64_t> overdue{0};
};

/// Wakes entities when their deadlines come. Holds the next minute in memory and reads on from the store; a tick that
/// is doubled or stale decides nothing, so being early costs a message and being late is what must not happen.
class timers final : public caf::event_based_actor {
public:
  using fire = std::function<void(const entity_id&)>;

  timers(caf::actor_config& cfg, timekeeper& time, persistence::readers& from, fire how, timer_metrics& metrics);

  caf::behavior make_behavior() override;

private:
  void arm(const entity_id& id, instant due);
  void wake();
  void refill();
  void on_refilled(bool asked, const std::vector<std::pair<entity_id, instant>>& rows, instant until);
  void schedule_wake();
  std::string_view known_kind(std::string_view name);

  static constexpr milliseconds horizon{60'000};
  static constexpr milliseconds refill_every{30'000};
  static constexpr std::int64_t rows_max = 10'000;
  static constexpr int ticks_per_turn = 500;  ///< with a pause of 100 ms after each: 5,000 a second

  timekeeper& time_;
  persistence::readers& readers_;
  fire fire_;
  timer_metrics& metrics_;
  std::unordered_map<entity_id, instant> due_;
  std::set<std::pair<instant, entity_id>> order_;
  instant until_;                     ///< everything due before is in memory
  std::optional<instant> next_wake_;  ///< a wake is under way for then
  std::uint64_t wakes_ = 0;           ///< only the last one counts
  instant calm_until_;                ///< nothing fires before
  bool refilling_ = false;
  std::set<std::string, std::less<>> kinds_;  ///< entity_id points to static names; these are ours
};

}  // namespace callboard::actors
