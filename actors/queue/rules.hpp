#pragma once

#include "actors/decision.hpp"
#include "actors/queue/state.hpp"
#include "messages/queue.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The rules of a work queue: who gets which job for how long, what is tried again, what is given up. Pure: time and
/// chance come in.
namespace callboard::queue {

/// Every move a job can make. Anything else is impossible by construction.
struct move {
  std::optional<status> from;
  status to;
};
inline constexpr std::array lifecycle{
    move{std::nullopt, status::pending},          // enqueue
    move{std::nullopt, status::scheduled},        // enqueue for later
    move{status::scheduled, status::pending},     // its time has come
    move{status::scheduled, status::cancelled},   // cancel
    move{status::pending, status::processing},    // claim
    move{status::pending, status::failed},        // waited longer than its ttl
    move{status::pending, status::cancelled},     // cancel
    move{status::processing, status::complete},   // complete
    move{status::processing, status::pending},    // release, lease lost
    move{status::processing, status::scheduled},  // fail, tried again later
    move{status::processing, status::failed},     // fail or lease lost for the last time
    move{status::processing, status::cancelled},  // cancelled meanwhile: fail, release, lease lost
    move{status::failed, status::pending},        // redrive
    move{status::failed, status::scheduled},      // redrive at a rate
};

constexpr bool allowed(std::optional<status> from, status to) {
  for (const auto& m : lifecycle)
    if (m.from == from && m.to == to)
      return true;
  return false;
}
static_assert(!allowed(status::scheduled, status::processing), "nobody works ahead of time");
static_assert(!allowed(status::complete, status::pending), "what is done is done");

/// Dead letters wait so long for a person.
inline constexpr milliseconds dead_kept{std::chrono::days{30}};

struct kind {
  static constexpr std::string_view name = "queue";
  using state = queue::state;
  using command = queue::command;
  using event = queue::event;
  using tick = queue::tick;
  using changes = queue::changes;
  using result = queue::result;
  using answer = std::variant<result, refusal>;

  static state initial(const std::string& key);
  static answer decide(decision<kind>& d, const command& c);
  static void evolve(state& s, const event& e, instant at, changes& changed);
  static std::optional<instant> deadline(const state& s);
  static std::optional<std::string> subject(const event&) { return std::nullopt; }
  static void rows(const state& s, const changes& changed, std::int64_t version, std::vector<row>& out);
  static std::size_t weight(const state& s);

  // A claim may wait for work.
  static milliseconds wait_limit(const command& c);
  static bool can_answer(const state& s, const command& c, instant now);
  static bool can_answer_any(const state& s, instant now);
  static std::optional<instant> next_possible_at(const state& s, instant now);
};

/// The next jobs of these types (none: of all) in their order, as many as limits allow.
std::vector<const job*> pick(const state& s, const std::optional<std::vector<std::string>>& types, std::int64_t limit,
                             instant now);

/// The member of a job's data that `path` (data.user_id) names, as text; nothing when it has none.
std::optional<std::string> flow_key_of(const new_job& j, std::string_view path);

/// Jobs that failed alike have one fingerprint: digits and hexadecimal numbers in the error do not count.
std::string fingerprint(std::string_view type, const std::optional<std::string>& error_code, std::string_view error);

/// base × 2ⁿ, at most a quarter of an hour, times a random share.
milliseconds backoff(std::int64_t base_ms, std::int64_t attempts, double share);

job_view view_of(const state& s, const job& j);

// Questions

explanation explain_job(const state& s, const job& j, instant now);
stats stats_of(const state& s, instant now);
dead_groups groups_of(const state& s, const show_dead& c);

}  // namespace callboard::queue
