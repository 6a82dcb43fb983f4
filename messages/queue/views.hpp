#pragma once

#include "base/described.hpp"
#include "base/instant.hpp"
#include "base/json_write.hpp"
#include "messages/outcome.hpp"
#include "messages/queue/terms.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What a work queue answers.
namespace callboard::queue {

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
                                            field{"cancel_requested", &job_view::cancel_requested},
                                            field{"is_first_claim", &job_view::is_first_claim, hidden{}}};
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
  /// What is remembered of an answer that is too long to be remembered.
  std::string short_form() const { return R"({"count":)" + std::to_string(jobs.size()) + '}'; }
  static constexpr auto fields = std::tuple{field{"jobs", &accepted::jobs}};
};

struct claimed_jobs {
  std::vector<job_view> jobs;
  /// What is remembered of an answer that is too long to be remembered.
  std::string short_form() const { return R"({"count":)" + std::to_string(jobs.size()) + '}'; }
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
  /// What is remembered of an answer that is too long to be remembered.
  std::string short_form() const { return R"({"count":)" + std::to_string(jobs.size()) + '}'; }
  static constexpr auto fields = std::tuple{field{"jobs", &job_results::jobs}};
};

/// What one decision of a bulk command did, and where it goes on.
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
  static constexpr auto fields =
      std::tuple{field{"groups", &dead_groups::groups}, field{"has_more", &dead_groups::has_more, hidden{}}};
};

struct nothing {
  static constexpr auto fields = std::tuple{};
};

using result = std::variant<nothing, cancel_total, redrive_total, one_job, accepted, claimed_jobs, beat, job_result,
                            job_results, swept, settings_view, stats, explanation, dead_groups>;

/// A lease's token names its queue: `default:42`.
std::string token_text(std::string_view queue, std::int64_t token);

}  // namespace callboard::queue
