#pragma once

#include "actors/kind.hpp"
#include "actors/lifecycle.hpp"
#include "actors/queue/state.hpp"
#include "messages/queue/commands.hpp"
#include "messages/queue/events.hpp"
#include "messages/queue/views.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The rules of a work queue: who gets which job for how long, what is tried again, what is given up. Pure: time and
/// randomness are arguments.
namespace callboard::queue {

inline constexpr lifecycle<status> job_lifecycle{
    "a job",
    {
        {std::nullopt, status::pending},          // enqueue
        {std::nullopt, status::scheduled},        // enqueue for later
        {status::scheduled, status::pending},     // its run_at has come
        {status::scheduled, status::cancelled},   // cancel
        {status::pending, status::processing},    // claim
        {status::pending, status::failed},        // waited longer than its ttl
        {status::pending, status::cancelled},     // cancel
        {status::processing, status::complete},   // complete
        {status::processing, status::pending},    // release, lease lost
        {status::processing, status::scheduled},  // fail, tried again later
        {status::processing, status::failed},     // fail or lease lost for the last time
        {status::processing, status::cancelled},  // fail, release or lease lost after a cancel
        {status::failed, status::pending},        // redrive
        {status::failed, status::scheduled},      // redrive at a rate
    }};
static_assert(!allowed(job_lifecycle, status::scheduled, status::processing), "a job is not claimed before its run_at");
static_assert(!allowed(job_lifecycle, status::complete, status::pending), "a complete job does not run again");

/// A dead job is purged when nobody has redriven it for so long.
inline constexpr milliseconds dead_retention{std::chrono::days{30}};

/// The part of the configuration that a queue decides by.
struct settings {
  backoff_bases backoff;
  milliseconds finished_kept{24 * 3'600'000};  ///< how long finished jobs can be looked at
};

class front;

struct kind {
  static constexpr std::string_view name = "queue";
  using settings = queue::settings;
  using front = queue::front;
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

  // A claim may wait for jobs.
  static milliseconds wait_limit(const command& c);
  static bool can_answer(const state& s, const command& c, instant now);
  static bool can_answer_any(const state& s, instant now);
  static std::optional<instant> next_possible_at(const state& s, instant now);
  /// A worker is who its claim says.
  static std::optional<principal> actor_of(const command& c);

  // In the store (load.cpp)
  static std::unordered_map<std::string, state> load(persistence::reader& from, const std::vector<std::string>& keys);
  static void stored_rows(persistence::reader& from, const std::string& key, const row_sink& sink);
  static void orphaned_rows(persistence::reader& from, const orphan_sink& sink);
  static std::string state_text(persistence::reader& from, state& s, instant at, std::int64_t version);
  static std::vector<std::pair<std::string, command>> maintenance(persistence::reader& from, instant now,
                                                                  const settings& with);
};

/// The next jobs of these types (none: of all) in the order of claims, as many as the limits of the queue allow.
std::vector<const job*> pick(const state& s, const std::optional<std::vector<std::string>>& types, std::int64_t limit,
                             instant now);

/// The member of a job's data that `path` (data.user_id) names, as text; nothing when it has none.
std::optional<std::string> flow_key_of(const new_job& j, std::string_view path);

/// Errors that differ only in digits and hexadecimal numbers have one fingerprint.
std::string fingerprint(std::string_view type, const std::optional<std::string>& error_code, std::string_view error);

/// base × 2ⁿ, at most a quarter of an hour, times a random share.
milliseconds backoff(std::int64_t base_ms, std::int64_t attempts, double share);

job_view view_of(const state& s, const job& j);
stats stats_of(const state& s, instant now);

}  // namespace callboard::queue
