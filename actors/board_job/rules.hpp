#pragma once

#include "actors/board_job/state.hpp"
#include "actors/kind.hpp"
#include "actors/lifecycle.hpp"
#include "messages/board_job.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The rules of a board job: who has claimed it, what became of the run, when it expires. Pure: time is an argument.
namespace callboard::board_job {

inline constexpr lifecycle<status> job_lifecycle{
    "a board job",
    {
        {std::nullopt, status::discovered},      // ingest
        {status::discovered, status::queued},    // claim
        {status::queued, status::applied},       // success
        {status::queued, status::discovered},    // failure, lock expired
        {status::discovered, status::applied},   // late success without a successor
        {status::expired, status::applied},      // the same
        {status::rejected, status::applied},     // the same
        {status::discovered, status::expired},   // manual, clean-up, crawl
        {status::discovered, status::rejected},  // manual
        {status::applied, status::expired},      // manual, forced
        {status::applied, status::rejected},     // manual, forced
        {status::applied, status::discovered},   // manual, forced
        {status::expired, status::rejected},     // manual
        {status::rejected, status::expired},     // manual
        {status::expired, status::discovered},   // manual, seen again
        {status::rejected, status::discovered},  // manual
    }};
static_assert(!allowed(job_lifecycle, status::applied, status::queued),
              "an applied job is opened again before it is claimed");
static_assert(!allowed(job_lifecycle, status::queued, status::expired),
              "the run of a job fails before the job expires");
static_assert(!allowed(job_lifecycle, status::expired, status::queued), "an expired job is not claimed");

inline constexpr lifecycle<run_status> run_lifecycle{
    "a run",
    {
        {std::nullopt, run_status::pending},           // claim
        {run_status::pending, run_status::submitted},  // report
        {run_status::pending, run_status::success},    // report
        {run_status::pending, run_status::failed},     // report, lock expired, job expired or rejected
        {run_status::submitted, run_status::success},  // report
        {run_status::submitted, run_status::failed},   // report, lock expired, job expired or rejected
        {run_status::failed, run_status::success},     // late success of a run whose lock expired
    }};
static_assert(!allowed(run_lifecycle, run_status::submitted, run_status::pending), "a run does not go back");
static_assert(!allowed(run_lifecycle, run_status::success, run_status::failed), "a success is never taken back");

/// What the agent of an active run may report: a heartbeat repeats the status.
constexpr bool may_report(run_status from, run_status to) { return from == to || allowed(run_lifecycle, from, to); }

/// A sighting is journaled at most once an hour, so that a crawl does not append an event per job.
inline constexpr milliseconds seen_journaled_every = std::chrono::hours{1};
/// A discovered job that no crawl has seen for seven days expires. One hour is added because the journal may know of a
/// sighting an hour late.
inline constexpr milliseconds unseen_max = std::chrono::days{7} + seen_journaled_every;

class front;

struct kind {
  static constexpr std::string_view name = "board_job";
  using front = board_job::front;
  using state = board_job::state;
  using command = board_job::command;
  using event = board_job::event;
  using tick = board_job::tick;
  using changes = board_job::changes;
  using result = board_job::result;
  using answer = std::variant<result, refusal>;

  static state initial(const std::string& key);
  static answer decide(decision<kind>& d, const command& c);
  static void evolve(state& s, const event& e, instant at, changes& changed);
  /// When the next tick is due.
  static std::optional<instant> deadline(const state& s);
  /// The run that an event is about, for timelines.
  static std::optional<std::string> subject(const event& e);
  static void rows(const state& s, const changes& changed, std::int64_t version, std::vector<row>& out);
  /// Bytes of memory that a state takes, roughly.
  static std::size_t weight(const state& s);
  /// A run is its user's, when its claim names one.
  static std::optional<principal> actor_of(const command& c);

  // In the store (load.cpp)
  static std::unordered_map<std::string, state> load(persistence::reader& from, const std::vector<std::string>& keys);
  static void stored_rows(persistence::reader& from, const std::string& key, const row_sink& sink);
  static void orphaned_rows(persistence::reader& from, const orphan_sink& sink);
  static std::string state_text(persistence::reader& from, state& s, instant at, std::int64_t version);
};

job shown(const state& s, std::int64_t version);
run shown(const state& s, const run_record& r);

}  // namespace callboard::board_job
