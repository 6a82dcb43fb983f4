#pragma once

#include "base/described.hpp"
#include "base/instant.hpp"
#include "messages/outcome.hpp"

#include <optional>
#include <string>
#include <variant>

/// The vocabulary of the sample kind: a counter with a limit that uses every part of the shell once. A keyed create, a
/// deadline, a command that may wait, a name that is unique across counters, and asking another counter.
namespace callboard::sample {

inline constexpr integer_range amount_bounds{0, 1'000'000'000};
inline constexpr integer_range wait_bounds{0, 3'600'000};
inline constexpr text name_bounds{1, 100};

// Answers

/// A counter as it stands behind the decision.
struct counter {
  std::string key;
  std::int64_t limit = 0;
  std::int64_t sum = 0;
  std::optional<instant> deadline;
  std::optional<std::string> name;
  std::int64_t unanswered = 0;  ///< asks of other counters
  static constexpr auto fields = std::tuple{field{"key", &counter::key},   field{"limit", &counter::limit},
                                            field{"sum", &counter::sum},   field{"deadline", &counter::deadline},
                                            field{"name", &counter::name}, field{"unanswered", &counter::unanswered}};
};

using result = std::variant<counter>;

// Commands

struct create {
  std::int64_t limit = 0;
  static constexpr auto answers = success::created;
  static constexpr auto fields = std::tuple{field{"limit", &create::limit, amount_bounds}};
};

/// Refused beyond the limit. Adding nothing is a success without an event.
struct add {
  std::int64_t n = 0;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"n", &add::n, amount_bounds}};
};

/// Waits until there is as much to take.
struct take {
  std::int64_t n = 0;
  std::int64_t wait_ms = 0;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"n", &take::n, amount_bounds}, field{"waitMs", &take::wait_ms, wait_bounds}};
};

/// When the deadline comes the sum starts again at 0; or, to test supervision, the rules fail.
struct set_deadline {
  std::int64_t after_ms = 0;
  bool fails = false;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"afterMs", &set_deadline::after_ms, wait_bounds}, field{"fails", &set_deadline::fails}};
};

/// Refused when there is no deadline (any more).
struct clear_deadline {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

struct claim_name {
  std::string text;
  std::optional<std::string> taken_by;  ///< the counter that has the name, found when the name was lost
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"text", &claim_name::text, name_bounds}, field{"takenBy", &claim_name::taken_by}};
};

/// The rules throw.
struct fail {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

struct show {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

/// Asks another counter to receive.
struct ask_other {
  std::string target;
  std::int64_t n = 0;
  static constexpr auto answers = success::accepted;
  static constexpr auto fields =
      std::tuple{field{"target", &ask_other::target}, field{"n", &ask_other::n, amount_bounds}};
};

/// What another counter answered to the ask with this id.
struct heard {
  std::string id;
  bool ok = false;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"id", &heard::id}, field{"ok", &heard::ok}};
};

/// What another counter asks for. An id that was received before changes nothing.
struct receive {
  std::string from;
  std::string id;
  std::int64_t n = 0;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"from", &receive::from}, field{"id", &receive::id}, field{"n", &receive::n, amount_bounds}};
};

struct tick {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

using command = std::variant<create, add, take, set_deadline, clear_deadline, claim_name, fail, show, ask_other, heard,
                             receive, tick>;

// Events

struct created {
  std::int64_t limit = 0;
  static constexpr std::string_view type = "CREATED";
  static constexpr auto fields = std::tuple{field{"limit", &created::limit}};
};

struct added {
  std::int64_t n = 0;
  static constexpr std::string_view type = "ADDED";
  static constexpr auto fields = std::tuple{field{"n", &added::n}};
};

struct taken {
  std::int64_t n = 0;
  static constexpr std::string_view type = "TAKEN";
  static constexpr auto fields = std::tuple{field{"n", &taken::n}};
};

struct deadline_set {
  instant until;
  bool fails = false;
  static constexpr std::string_view type = "DEADLINE_SET";
  static constexpr auto fields = std::tuple{field{"until", &deadline_set::until}, field{"fails", &deadline_set::fails}};
};

struct deadline_cleared {
  static constexpr std::string_view type = "DEADLINE_CLEARED";
  static constexpr auto fields = std::tuple{};
};

struct expired {
  static constexpr std::string_view type = "EXPIRED";
  static constexpr auto fields = std::tuple{};
};

struct named {
  std::string text;
  static constexpr std::string_view type = "NAMED";
  static constexpr auto fields = std::tuple{field{"text", &named::text}};
};

struct asked {
  std::string id;
  std::string target;
  std::int64_t n = 0;
  static constexpr std::string_view type = "ASKED";
  static constexpr auto fields =
      std::tuple{field{"id", &asked::id}, field{"target", &asked::target}, field{"n", &asked::n}};
};

struct answered {
  std::string id;
  bool ok = false;
  static constexpr std::string_view type = "ANSWERED";
  static constexpr auto fields = std::tuple{field{"id", &answered::id}, field{"ok", &answered::ok}};
};

struct received {
  std::string from;
  std::string id;
  std::int64_t n = 0;
  static constexpr std::string_view type = "RECEIVED";
  static constexpr auto fields =
      std::tuple{field{"from", &received::from}, field{"id", &received::id}, field{"n", &received::n}};
};

using event =
    std::variant<created, added, taken, deadline_set, deadline_cleared, expired, named, asked, answered, received>;

}  // namespace callboard::sample
