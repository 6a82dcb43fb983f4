#pragma once

#include "actors/kind.hpp"
#include "actors/lifecycle.hpp"
#include "actors/opening/state.hpp"
#include "messages/opening.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The rules of an opening: who gets a slot, who waits, who is promoted and who decays. Pure: time is an argument.
namespace callboard::opening {

inline constexpr lifecycle<status> application_lifecycle{
    "an application",
    {
        {std::nullopt, status::active},                      // apply, slot free
        {std::nullopt, status::pending_acknowledgment},      // apply, slot free, offerOnApply
        {std::nullopt, status::waitlist},                    // apply, opening full
        {status::waitlist, status::pending_acknowledgment},  // promotion
        {status::waitlist, status::inactive},                // withdraw
        {status::pending_acknowledgment, status::active},    // acknowledge in time
        {status::pending_acknowledgment, status::waitlist},  // deadline passes: decay
        {status::pending_acknowledgment, status::inactive},  // withdraw, decline
        {status::active, status::inactive},                  // withdraw
    }};
static_assert(!allowed(application_lifecycle, status::waitlist, status::active), "nobody skips the offer");
static_assert(!allowed(application_lifecycle, status::active, status::waitlist),
              "an acknowledged slot is never taken away");
static_assert(!allowed(application_lifecycle, status::inactive, status::waitlist),
              "whoever left applies again with a new application");

class front;

struct kind {
  static constexpr std::string_view name = "opening";
  using front = opening::front;
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
  /// When the next tick is due; a moment long past means at once.
  static std::optional<instant> deadline(const state& s);
  /// The application that an event is about, for timelines.
  static std::optional<std::string> subject(const event& e);
  static void rows(const state& s, const changes& changed, std::int64_t version, std::vector<row>& out);
  /// Bytes of memory that a state takes, roughly.
  static std::size_t weight(const state& s);
  /// Who withdraws an application may be named.
  static std::optional<principal> actor_of(const command& c);

  // In the store (load.cpp)
  static std::unordered_map<std::string, state> load(persistence::reader& from, const std::vector<std::string>& keys);
  static void stored_rows(persistence::reader& from, const std::string& key, const row_sink& sink);
  static void orphaned_rows(persistence::reader& from, const orphan_sink& sink);
  static std::string state_text(persistence::reader& from, state& s, instant at, std::int64_t version);
};

/// position × mean gap of the last 20 promotions; nothing when there were fewer than three.
std::optional<std::int64_t> eta_s(const state& s, std::int64_t position);

}  // namespace callboard::opening
