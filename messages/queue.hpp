#pragma once

#include "base/described.hpp"
#include "base/instant.hpp"
#include "base/json_write.hpp"
#include "base/named.hpp"
#include "base/sql.hpp"
#include "messages/outcome.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The vocabulary of work queues: what may be asked, what can have happened, what is answered.
namespace callboard::queue {

enum class status : std::uint8_t { pending, scheduled, processing, complete, failed, cancelled };
constexpr std::array<std::string_view, 6> names_of(status) {
  return {"pending", "scheduled", "processing", "complete", "failed", "cancelled"};
}

inline constexpr std::string_view default_queue = "default";
inline constexpr std::int64_t weight_max = 100;
inline constexpr integer_range attempts_bounds{1, 100};
inline constexpr std::size_t batch_max = 1'000;

// Payload: what people and workers wrote. Rows of their own, never in the journal.

/// What a job is about; written once. Its key is a name: an id that is stored already is not written again.
struct payload_row {
  std::string queue;
  std::string id;
  std::string data;      ///< JSON
  std::string metadata;  ///< JSON
  std::string priority;  ///< JSON, as given
  static constexpr std::string_view table_name = "work_payloads";
  static constexpr std::size_t key_columns = 2;
  static constexpr std::string_view conflict = "queue, id";
  static constexpr std::size_t name_column = 1;
  static constexpr std::string_view owner_predicate = "1 = 0";
  static constexpr bool first_writer_wins = true;
  static constexpr columns_range owner_columns{};
  static constexpr bool resolve_on_conflict = true;
  static constexpr auto fields =
      std::tuple{field{"queue", &payload_row::queue}, field{"id", &payload_row::id}, field{"data", &payload_row::data},
                 field{"metadata", &payload_row::metadata}, field{"priority", &payload_row::priority}};
};

/// What workers say about a job; only what they name changes.
struct report_row {
  std::string queue;
  std::string id;
  std::optional<std::string> progress;  ///< a JSON number
  std::optional<std::string> message;
  std::optional<std::string> checkpoint;  ///< JSON
  std::optional<std::string> results;     ///< JSON
  std::optional<std::string> error;
  std::optional<std::string> error_code;
  std::optional<std::string> reason;  ///< of its cancellation
  static constexpr std::string_view table_name = "work_reports";
  static constexpr std::size_t key_columns = 2;
  static constexpr bool partial_update = true;
  static constexpr auto fields =
      std::tuple{field{"queue", &report_row::queue},           field{"id", &report_row::id},
                 field{"progress", &report_row::progress},     field{"message", &report_row::message},
                 field{"checkpoint", &report_row::checkpoint}, field{"results", &report_row::results},
                 field{"error", &report_row::error},           field{"error_code", &report_row::error_code},
                 field{"reason", &report_row::reason}};
};

// Commands

/// A job of this id that is no longer in memory.
struct finished_job {
  queue::status status = queue::status::complete;
  std::int64_t content = 0;
};

struct new_job {
  std::string id;
  std::string type;
  std::int64_t weight = 5;
  std::int64_t max_attempts = 4;
  std::optional<instant> run_at;
  std::optional<std::int64_t> ttl_s;
  std::optional<std::string> unique_key;
  std::optional<std::string> data_text;  ///< JSON object; `{}` when absent
  std::optional<std::string> metadata_text;
  std::string priority = "5";  ///< JSON, as given
  std::int64_t content = 0;    ///< digest of all of the above: equal for equal jobs
  std::optional<finished_job> finished;
};

struct enqueue {
  std::vector<new_job> jobs;
  bool is_one = false;  ///< asked for alone: answered with the whole job
  static constexpr auto answers = success::created;
};

struct claim {
  std::string worker;
  std::optional<std::vector<std::string>> types;  ///< none: all
  std::int64_t limit = 1;
  std::int64_t lease_s = 60;
  std::int64_t wait_s = 0;
  static constexpr auto answers = success::ok;
};

struct heartbeat {
  std::string id;
  std::int64_t token = 0;
  std::optional<std::string> progress;
  std::optional<std::string> message;
  std::optional<std::string> checkpoint;
  static constexpr auto answers = success::ok;
};

struct completion {
  std::string id;
  std::int64_t token = 0;
  std::optional<std::string> results;
};
/// Each is answered on its own; asked for alone, a no is the answer.
struct complete {
  std::vector<completion> jobs;
  bool is_one = false;
  static constexpr auto answers = success::ok;
};

/// From where the pause before the next try doubles.
struct backoff_bases {
  std::int64_t usual_ms = 1'000;
  std::map<std::string, std::int64_t, std::less<>> by_type_ms;
};

struct fail {
  std::string id;
  std::int64_t token = 0;
  std::string error;
  std::optional<std::string> error_code;
  std::optional<std::int64_t> retry_after_s;
  bool permanent = false;
  std::shared_ptr<const backoff_bases> bases;
  double jitter = 1;  ///< 0…1, drawn by whoever asks
  static constexpr auto answers = success::ok;
};

struct release {
  std::vector<completion> jobs;
  bool is_one = false;
  static constexpr auto answers = success::ok;
};

struct cancel {
  std::string id;
  std::optional<std::string> reason;
  static constexpr auto answers = success::ok;
};

/// As many as one decision takes; goes on behind `after`.
struct cancel_matching {
  std::optional<std::string> type;
  std::optional<queue::status> status;
  std::optional<std::string> reason;
  std::int64_t after = 0;
  static constexpr auto answers = success::ok;
};

struct redrive {
  std::optional<std::vector<std::string>> ids;
  std::optional<std::string> type;
  std::optional<std::string> error_code;
  std::optional<std::string> fingerprint;
  std::optional<std::int64_t> rate_per_s;
  std::int64_t after = 0;        ///< as above
  std::int64_t before = 0;       ///< redriven by the same wish already, for the pace
  std::optional<instant> began;  ///< only what was dead then
  static constexpr auto answers = success::ok;
};

/// At most so many jobs of one key at a time; the key is a member of a job's data, as in `data.user_id`.
struct key_limit {
  std::string key;
  std::int64_t max_in_flight = 1;
  friend bool operator==(const key_limit&, const key_limit&) = default;
  static constexpr auto fields =
      std::tuple{field{"key", &key_limit::key, text{1, 200}},
                 field{"max_in_flight", &key_limit::max_in_flight, integer_range{1, 1'000'000}}};
};

/// What is absent stays; what is null is cleared.
struct configure {
  std::optional<bool> paused;
  std::optional<std::optional<std::int64_t>> max_in_flight;
  std::optional<std::optional<std::int64_t>> rate_per_s;
  std::optional<std::int64_t> aging_s;
  std::optional<std::optional<key_limit>> per_key;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{
      field{"max_in_flight", &configure::max_in_flight, integer_range{1, 1'000'000}},
      field{"rate_per_s", &configure::rate_per_s, integer_range{1, 100'000}},
      field{"aging_s", &configure::aging_s, integer_range{0, 31'536'000}}, field{"per_key", &configure::per_key}};
};

/// What a wish for many came to: nothing happens but that it is remembered under its Idempotency-Key.
struct cancel_total {
  std::int64_t cancelled = 0;
  std::int64_t flagged = 0;
  static constexpr auto fields =
      std::tuple{field{"cancelled", &cancel_total::cancelled}, field{"flagged", &cancel_total::flagged}};
};
struct redrive_total {
  std::int64_t redriven = 0;
  static constexpr auto fields = std::tuple{field{"redriven", &redrive_total::redriven}};
};
struct store_response {
  std::variant<cancel_total, redrive_total> response;
  static constexpr auto answers = success::ok;
};

/// Finished jobs whose time is over, found by their rows.
struct purge {
  std::vector<std::string> ids;
  static constexpr auto answers = success::ok;
};

struct tick {
  static constexpr auto answers = success::ok;
};

// Questions

struct show_settings {
  static constexpr auto answers = success::ok;
};
struct show_stats {
  static constexpr auto answers = success::ok;
};
struct explain {
  std::string id;
  static constexpr auto answers = success::ok;
};
struct show_dead {
  std::string after;  ///< fingerprint
  std::int64_t limit = 100;
  static constexpr auto answers = success::ok;
};

using command = std::variant<enqueue, claim, heartbeat, complete, fail, release, cancel, cancel_matching, redrive,
                             configure, store_response, purge, tick, show_settings, show_stats, explain, show_dead>;

// Events: results, never inputs to compute again. One event tells of as many jobs as one decision moved.

using ids = std::vector<std::string>;

struct enqueued_job {
  std::string id;
  std::string type;
  std::int64_t weight = 5;
  std::int64_t max_attempts = 4;
  std::optional<instant> run_at;  ///< set: scheduled until then
  std::optional<std::int64_t> ttl_s;
  std::optional<std::string> unique_key;
  static constexpr auto fields = std::tuple{field{"id", &enqueued_job::id},
                                            field{"type", &enqueued_job::type},
                                            field{"weight", &enqueued_job::weight},
                                            field{"max", &enqueued_job::max_attempts},
                                            field{"run_at", &enqueued_job::run_at},
                                            field{"ttl_s", &enqueued_job::ttl_s},
                                            field{"unique_key", &enqueued_job::unique_key}};
};
struct enqueued {
  std::vector<enqueued_job> jobs;
  static constexpr std::string_view type = "ENQUEUED";
  static constexpr auto fields = std::tuple{field{"jobs", &enqueued::jobs}};
};

struct claimed {
  std::string worker;
  std::int64_t token = 0;
  std::int64_t length_ms = 0;
  instant until;
  queue::ids jobs;
  static constexpr std::string_view type = "CLAIMED";
  static constexpr auto fields = std::tuple{field{"worker", &claimed::worker}, field{"token", &claimed::token},
                                            field{"length_ms", &claimed::length_ms}, field{"until", &claimed::until},
                                            field{"jobs", &claimed::jobs}};
};

struct renewed {
  std::string id;
  instant until;
  static constexpr std::string_view type = "RENEWED";
  static constexpr auto fields = std::tuple{field{"id", &renewed::id}, field{"until", &renewed::until}};
};

struct completed {
  queue::ids jobs;
  static constexpr std::string_view type = "COMPLETED";
  static constexpr auto fields = std::tuple{field{"jobs", &completed::jobs}};
};

/// A worker gave up; tried again at `run_at`.
struct retried {
  std::string id;
  std::int64_t attempts = 0;
  instant run_at;
  static constexpr std::string_view type = "RETRIED";
  static constexpr auto fields =
      std::tuple{field{"id", &retried::id}, field{"attempts", &retried::attempts}, field{"run_at", &retried::run_at}};
};

/// A job that failed for good waits for a person.
struct dead_job {
  std::string id;
  std::int64_t attempts = 0;
  std::string fingerprint;
  std::optional<std::string> error_code;
  static constexpr auto fields =
      std::tuple{field{"id", &dead_job::id}, field{"attempts", &dead_job::attempts},
                 field{"fingerprint", &dead_job::fingerprint}, field{"error_code", &dead_job::error_code}};
};
struct died {
  std::vector<dead_job> jobs;
  static constexpr std::string_view type = "DIED";
  static constexpr auto fields = std::tuple{field{"jobs", &died::jobs}};
};

/// Handed back by its worker: its place in line and its attempts stay.
struct released {
  queue::ids jobs;
  static constexpr std::string_view type = "RELEASED";
  static constexpr auto fields = std::tuple{field{"jobs", &released::jobs}};
};

/// Leases ended: at once in line again, one attempt more.
struct lapsed {
  queue::ids jobs;
  static constexpr std::string_view type = "LAPSED";
  static constexpr auto fields = std::tuple{field{"jobs", &lapsed::jobs}};
};

/// Their time to run has come.
struct matured {
  queue::ids jobs;
  static constexpr std::string_view type = "MATURED";
  static constexpr auto fields = std::tuple{field{"jobs", &matured::jobs}};
};

/// Waited longer than their ttl.
struct expired {
  queue::ids jobs;
  static constexpr std::string_view type = "EXPIRED";
  static constexpr auto fields = std::tuple{field{"jobs", &expired::jobs}};
};

/// Cancelled while a worker holds them: it is told, and nothing it brings counts.
struct cancel_requested {
  queue::ids jobs;
  static constexpr std::string_view type = "CANCEL_REQUESTED";
  static constexpr auto fields = std::tuple{field{"jobs", &cancel_requested::jobs}};
};

struct cancelled {
  queue::ids jobs;
  static constexpr std::string_view type = "CANCELLED";
  static constexpr auto fields = std::tuple{field{"jobs", &cancelled::jobs}};
};

struct redriven_job {
  std::string id;
  std::optional<instant> run_at;
  static constexpr auto fields = std::tuple{field{"id", &redriven_job::id}, field{"run_at", &redriven_job::run_at}};
};
struct redriven {
  std::vector<redriven_job> jobs;
  static constexpr std::string_view type = "REDRIVEN";
  static constexpr auto fields = std::tuple{field{"jobs", &redriven::jobs}};
};

/// All values as they are after the change.
struct configured {
  bool paused = false;
  std::optional<std::int64_t> max_in_flight;
  std::optional<std::int64_t> rate_per_s;
  std::int64_t aging_s = 60;
  std::optional<key_limit> per_key;
  static constexpr std::string_view type = "CONFIGURED";
  static constexpr auto fields =
      std::tuple{field{"paused", &configured::paused}, field{"max_in_flight", &configured::max_in_flight},
                 field{"rate_per_s", &configured::rate_per_s}, field{"aging_s", &configured::aging_s},
                 field{"per_key", &configured::per_key}};
};

/// Not kept any longer; their ids are new again.
struct purged {
  queue::ids jobs;
  static constexpr std::string_view type = "PURGED";
  static constexpr auto fields = std::tuple{field{"jobs", &purged::jobs}};
};

using event = std::variant<enqueued, claimed, renewed, completed, retried, died, released, lapsed, matured, expired,
                           cancel_requested, cancelled, redriven, configured, purged>;

// Answers

/// A job as callers see it. What people and workers wrote is filled in outside the actor.
struct job_view {
  std::string id;
  std::string queue;
  std::string type;
  raw_json data;
  raw_json metadata;
  raw_json priority;
  std::int64_t weight = 0;
  queue::status status = queue::status::pending;
  raw_json progress;
  std::optional<std::string> message;
  raw_json results;
  std::optional<std::string> error;
  std::optional<std::string> error_code;
  std::int64_t attempts = 0;
  std::int64_t max_attempts = 0;
  instant run_at;
  instant created_at;
  instant updated_at;
  std::optional<instant> claimed_at;
  std::optional<instant> completed_at;
  std::optional<std::string> worker;
  std::optional<std::string> lease_token;
  std::optional<instant> lease_expires_at;
  std::optional<std::int64_t> ttl_s;
  std::optional<std::string> unique_key;
  raw_json checkpoint;
  std::int64_t redrives = 0;
  bool cancel_requested = false;
  bool is_first_claim = false;  ///< no worker had it before: nobody has said anything about it
  static constexpr auto fields = std::tuple{field{"id", &job_view::id},
                                            field{"queue", &job_view::queue},
                                            field{"job_type", &job_view::type},
                                            field{"data", &job_view::data},
                                            field{"metadata", &job_view::metadata},
                                            field{"priority", &job_view::priority},
                                            field{"weight", &job_view::weight},
                                            field{"status", &job_view::status},
                                            field{"progress", &job_view::progress},
                                            field{"message", &job_view::message},
                                            field{"results", &job_view::results},
                                            field{"error", &job_view::error},
                                            field{"error_code", &job_view::error_code},
                                            field{"attempts", &job_view::attempts},
                                            field{"max_attempts", &job_view::max_attempts},
                                            field{"run_at", &job_view::run_at},
                                            field{"created_at", &job_view::created_at},
                                            field{"updated_at", &job_view::updated_at},
                                            field{"claimed_at", &job_view::claimed_at},
                                            field{"completed_at", &job_view::completed_at},
                                            field{"worker_id", &job_view::worker},
                                            field{"lease_token", &job_view::lease_token},
                                            field{"lease_expires_at", &job_view::lease_expires_at},
                                            field{"ttl_s", &job_view::ttl_s},
                                            field{"unique_key", &job_view::unique_key},
                                            field{"checkpoint", &job_view::checkpoint},
                                            field{"redrives", &job_view::redrives},
                                            field{"cancel_requested", &job_view::cancel_requested}};
};

/// One job that was asked for alone.
struct one_job {
  job_view job;
  bool deduplicated = false;
  bool is_finished = false;  ///< only its row knows it
  success how() const { return deduplicated ? success::ok : success::created; }
  static constexpr auto fields = std::tuple{field{"job", &one_job::job}, field{"deduplicated", &one_job::deduplicated},
                                            field{"finished", &one_job::is_finished}};
};

struct accepted_job {
  std::string id;
  queue::status status = queue::status::pending;
  bool deduplicated = false;
  static constexpr auto fields = std::tuple{field{"id", &accepted_job::id}, field{"status", &accepted_job::status},
                                            field{"deduplicated", &accepted_job::deduplicated}};
};
struct accepted {
  std::vector<accepted_job> jobs;
  static constexpr auto fields = std::tuple{field{"jobs", &accepted::jobs}};
};

struct claimed_jobs {
  std::vector<job_view> jobs;
  static constexpr auto fields = std::tuple{field{"jobs", &claimed_jobs::jobs}};
};

struct beat {
  std::string id;
  instant lease_expires_at;
  bool cancel_requested = false;
  static constexpr auto fields = std::tuple{field{"id", &beat::id}, field{"lease_expires_at", &beat::lease_expires_at},
                                            field{"cancel_requested", &beat::cancel_requested}};
};

/// How a job stands after its worker or somebody else ended something.
struct job_result {
  std::string id;
  std::optional<queue::status> status;
  std::int64_t attempts = 0;
  std::optional<instant> run_at;
  std::optional<instant> completed_at;
  bool cancel_requested = false;
  std::optional<code> error;  ///< then nothing of it changed
  std::optional<std::string> message;
  static constexpr auto fields = std::tuple{field{"id", &job_result::id},
                                            field{"status", &job_result::status},
                                            field{"attempts", &job_result::attempts},
                                            field{"run_at", &job_result::run_at},
                                            field{"completed_at", &job_result::completed_at},
                                            field{"cancel_requested", &job_result::cancel_requested},
                                            field{"error", &job_result::error},
                                            field{"message", &job_result::message}};
};
struct job_results {
  std::vector<job_result> jobs;
  static constexpr auto fields = std::tuple{field{"jobs", &job_results::jobs}};
};

/// What one decision of a wish for many did, and where it goes on.
struct swept {
  std::int64_t moved = 0;
  std::int64_t flagged = 0;
  std::optional<std::int64_t> next;
  static constexpr auto fields =
      std::tuple{field{"moved", &swept::moved}, field{"flagged", &swept::flagged}, field{"next", &swept::next}};
};

struct settings_view {
  std::string queue;
  bool paused = false;
  std::optional<std::int64_t> max_in_flight;
  std::optional<std::int64_t> rate_per_s;
  std::int64_t aging_s = 60;
  std::optional<key_limit> per_key;
  static constexpr auto fields = std::tuple{field{"queue", &settings_view::queue},
                                            field{"paused", &settings_view::paused},
                                            field{"max_in_flight", &settings_view::max_in_flight},
                                            field{"rate_per_s", &settings_view::rate_per_s},
                                            field{"aging_s", &settings_view::aging_s},
                                            field{"per_key", &settings_view::per_key}};
};

struct type_stats {
  std::string type;
  std::int64_t depth = 0;
  std::int64_t scheduled = 0;
  std::int64_t in_flight = 0;
  std::int64_t dead = 0;
  std::optional<std::int64_t> oldest_age_s;
  double enqueued_per_s = 0;
  double claimed_per_s = 0;
  double completed_per_s = 0;
  double failed_per_s = 0;
  static constexpr auto fields = std::tuple{field{"job_type", &type_stats::type},
                                            field{"depth", &type_stats::depth},
                                            field{"scheduled", &type_stats::scheduled},
                                            field{"in_flight", &type_stats::in_flight},
                                            field{"dead", &type_stats::dead},
                                            field{"oldest_age_s", &type_stats::oldest_age_s},
                                            field{"enqueued_per_s", &type_stats::enqueued_per_s},
                                            field{"claimed_per_s", &type_stats::claimed_per_s},
                                            field{"completed_per_s", &type_stats::completed_per_s},
                                            field{"failed_per_s", &type_stats::failed_per_s}};
};
struct stats {
  std::string queue;
  bool paused = false;
  std::int64_t depth = 0;
  std::int64_t scheduled = 0;
  std::int64_t in_flight = 0;
  std::int64_t dead = 0;
  std::optional<std::int64_t> oldest_age_s;
  std::vector<type_stats> types;
  static constexpr auto fields = std::tuple{field{"queue", &stats::queue},
                                            field{"paused", &stats::paused},
                                            field{"depth", &stats::depth},
                                            field{"scheduled", &stats::scheduled},
                                            field{"in_flight", &stats::in_flight},
                                            field{"dead", &stats::dead},
                                            field{"oldest_age_s", &stats::oldest_age_s},
                                            field{"types", &stats::types}};
};

/// Why a job is not running, in a word and in a sentence.
struct explanation {
  std::string id;
  std::string queue;
  queue::status status = queue::status::pending;
  std::string reason;
  std::string message;
  std::optional<std::int64_t> behind;
  std::optional<instant> until;
  std::optional<std::string> worker;
  std::optional<instant> lease_expires_at;
  static constexpr auto fields = std::tuple{field{"id", &explanation::id},
                                            field{"queue", &explanation::queue},
                                            field{"status", &explanation::status},
                                            field{"reason", &explanation::reason},
                                            field{"message", &explanation::message},
                                            field{"behind", &explanation::behind},
                                            field{"until", &explanation::until},
                                            field{"worker_id", &explanation::worker},
                                            field{"lease_expires_at", &explanation::lease_expires_at}};
};

struct dead_group {
  std::string fingerprint;
  std::string queue;
  std::string type;
  std::optional<std::string> error_code;
  std::optional<std::string> error;  ///< of the last one, filled in outside the actor
  std::int64_t count = 0;
  instant first_at;
  instant last_at;
  std::string last_id;
  static constexpr auto fields = std::tuple{field{"fingerprint", &dead_group::fingerprint},
                                            field{"queue", &dead_group::queue},
                                            field{"job_type", &dead_group::type},
                                            field{"error_code", &dead_group::error_code},
                                            field{"error", &dead_group::error},
                                            field{"count", &dead_group::count},
                                            field{"first_at", &dead_group::first_at},
                                            field{"last_at", &dead_group::last_at},
                                            field{"last_id", &dead_group::last_id}};
};
struct dead_groups {
  std::vector<dead_group> groups;
  bool has_more = false;
  static constexpr auto fields = std::tuple{field{"groups", &dead_groups::groups}};
};

struct nothing {};

using result = std::variant<nothing, cancel_total, redrive_total, one_job, accepted, claimed_jobs, beat, job_result,
                            job_results, swept, settings_view, stats, explanation, dead_groups>;

/// A lease's token names its queue: `default:42`.
std::string token_text(std::string_view queue, std::int64_t token);

}  // namespace callboard::queue
