#pragma once

#include "actors/actor_messages.hpp"
#include "actors/environment.hpp"
#include "actors/kind_host.hpp"

#include <caf/event_based_actor.hpp>

#include <deque>
#include <list>
#include <unordered_map>
#include <vector>

namespace callboard::actors {

struct supervision {
  std::int64_t residents_max = 50'000;
  std::int64_t weight_max = std::int64_t{1} << 30;  ///< bytes of state, roughly
  milliseconds idle{60'000};
  int requests_max = 1'024;  ///< of one entity
  milliseconds restart_first{100};
  milliseconds restart_most{30'000};
  int crashes_max = 5;
  milliseconds crashes_within{60'000};
  milliseconds quarantine{300'000};
};

/// What all shards of a node hold together; limits are the node's, each shard lets go of its own oldest.
struct occupancy {
  std::atomic<std::int64_t> residents{0};
  std::atomic<std::int64_t> weight{0};
};

/// Keeps the actors of one shard: finds or spawns the one a request is for, says when one that failed may load again,
/// lets go of those that nobody needs.
class supervisor final : public caf::event_based_actor {
public:
  supervisor(caf::actor_config& cfg, const kind_hosts& hosts, supervision how, occupancy& all,
             std::function<std::chrono::steady_clock::time_point()> now);

  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  using time_point = std::chrono::steady_clock::time_point;

  struct resident {
    caf::actor actor;
    std::shared_ptr<resident_metrics> metrics;
    time_point used;
    std::list<entity_id>::iterator slot;  ///< in by_use_
    bool leaving = false;
    std::vector<request_ptr> held;  ///< arrived while it was leaving
    bool tick_held = false;
    std::deque<time_point> crashes;
    int restarts = 0;  ///< since the last quiet minute
    bool banned = false;
  };

  resident* find_or_spawn(const entity_id& id);
  void forward(const request_ptr& r);
  void tick(const entity_id& id);
  void ask_to_leave(resident& r);
  void left(const entity_id& id);
  void stays(const entity_id& id);
  void crashed(const entity_id& id);
  void sweep();

  const kind_hosts& hosts_;
  supervision how_;
  occupancy& all_;
  std::int64_t weight_ = 0;  ///< of this shard, at the last sweep
  std::function<time_point()> now_;
  std::unordered_map<entity_id, resident> residents_;
  std::list<entity_id> by_use_;  ///< least recently used first
  bool sweeping_ = false;
};

}  // namespace callboard::actors
