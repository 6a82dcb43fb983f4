#pragma once

#include "actors/decision.hpp"
#include "actors/opening/state.hpp"
#include "messages/opening.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The rules of an opening: who gets a slot, who waits, who is promoted and who decays. Pure: time comes in.
namespace callboard::opening {

/// Every move an application can make. Anything else is impossible by construction.
struct move {
  std::optional<status> from;
  status to;
};
inline constexpr std::array lifecycle{
    move{std::nullopt, status::active},                      // apply, slot free
    move{std::nullopt, status::pending_acknowledgment},      // apply, slot free, offerOnApply
    move{std::nullopt, status::waitlist},                    // apply, opening full
    move{status::waitlist, status::pending_acknowledgment},  // promotion
    move{status::waitlist, status::inactive},                // withdraw
    move{status::pending_acknowledgment, status::active},    // acknowledge in time
    move{status::pending_acknowledgment, status::waitlist},  // deadline passes: decay
    move{status::pending_acknowledgment, status::inactive},  // withdraw, decline
    move{status::active, status::inactive},                  // withdraw
};

constexpr bool allowed(std::optional<status> from, status to) {
  for (const auto& m : lifecycle)
    if (m.from == from && m.to == to)
      return true;
  return false;
}
static_assert(!allowed(status::waitlist, status::active), "nobody skips the offer");
static_assert(!allowed(status::active, status::waitlist), "an acknowledged slot is never taken away");
static_assert(!allowed(status::inactive, status::waitlist), "who left applies anew");

struct kind {
  static constexpr std::string_view name = "opening";
  using state = opening::state;
  using command = opening::command;
  using event = opening::event;
  using tick = opening::tick;
  using changes = opening::changes;
  using result = opening::result;
  using answer = std::variant<result, refusal>;

  static state initial(const std::string& key);
  static answer decide(decision<kind>& d, const command& c);
  static void evolve(state& s, const event& e, instant at, changes& changed);
  /// When the rules must look again at the latest; a moment long past means at once.
  static std::optional<instant> deadline(const state& s);
  /// Whom an event is about, for timelines.
  static std::optional<std::string> subject(const event& e);
  static void rows(const state& s, const changes& changed, std::int64_t version, std::vector<row>& out);
  /// Bytes a state is roughly worth in memory.
  static std::size_t weight(const state& s);
};

/// position × mean gap of the last 20 promotions; nothing below three of them.
std::optional<std::int64_t> eta_s(const state& s, std::int64_t position);

}  // namespace callboard::opening
