#pragma once

#include "base/described.hpp"
#include "base/instant.hpp"
#include "messages/outcome.hpp"
#include "messages/queue/terms.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// What may be asked of a work queue.
namespace callboard::queue {

/// A job of this id that is no longer in memory.
struct finished_job {
  queue::status status = queue::status::complete;
  std::int64_t content = 0;
  static constexpr auto fields =
      std::tuple{field{"status", &finished_job::status}, field{"content", &finished_job::content}};
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
  std::string priority = R"("normal")";  ///< JSON, as given
  std::int64_t content = 0;              ///< digest of all of the above: equal for equal jobs
  std::optional<finished_job> finished;
  static constexpr auto fields =
      std::tuple{field{"id", &new_job::id, with_default{}},
                 field{"job_type", &new_job::type},
                 field{"weight", &new_job::weight, hidden{}},
                 field{"max_attempts", &new_job::max_attempts, with_default{attempts_bounds}},
                 field{"run_at", &new_job::run_at},
                 field{"ttl_s", &new_job::ttl_s, integer_range{1, 31'536'000}},
                 field{"unique_key", &new_job::unique_key, text{1, 200}},
                 field{"data", &new_job::data_text, json_text{}},
                 field{"metadata", &new_job::metadata_text, json_text{}},
                 field{"priority", &new_job::priority, with_default{json_text{}}},
                 field{"content", &new_job::content, hidden{}},
                 field{"finished", &new_job::finished, hidden{}}};
};

struct enqueue {
  std::vector<new_job> jobs;
  bool is_one = false;     ///< asked for alone: answered with the whole job
  bool names_ids = false;  ///< at least one id is the caller's own: it may have been used before
  static constexpr auto answers = success::created;
  static constexpr auto fields = std::tuple{field{"jobs", &enqueue::jobs}, field{"is_one", &enqueue::is_one, hidden{}},
                                            field{"names_ids", &enqueue::names_ids, hidden{}}};
};

struct claim {
  std::string worker;
  std::optional<std::vector<std::string>> types;  ///< none: all
  std::int64_t limit = 1;
  std::int64_t lease_s = 60;
  std::int64_t wait_s = 0;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"worker_id", &claim::worker, text{1, 200}}, field{"job_types", &claim::types},
                 field{"limit", &claim::limit, with_default{integer_range{1, 1'000}}},
                 field{"lease_s", &claim::lease_s, with_default{integer_range{1, 43'200}}},
                 field{"wait_s", &claim::wait_s, with_default{integer_range{0, 30}}}};
};

struct heartbeat {
  std::string id;
  std::int64_t token = 0;
  std::optional<std::string> progress;
  std::optional<std::string> message;
  std::optional<std::string> checkpoint;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{
      field{"id", &heartbeat::id, hidden{}}, field{"token", &heartbeat::token, hidden{}},
      field{"progress", &heartbeat::progress, json_text{}}, field{"message", &heartbeat::message, text{0, 2'000}},
      field{"checkpoint", &heartbeat::checkpoint, json_text{}}};
};

struct completion {
  std::string id;
  std::int64_t token = 0;
  std::optional<std::string> results;
  static constexpr auto fields =
      std::tuple{field{"id", &completion::id, hidden{}}, field{"token", &completion::token, hidden{}},
                 field{"results", &completion::results, json_text{}}};
};
/// Each job is answered on its own; of one asked for alone, a refusal is the answer.
struct complete {
  std::vector<completion> jobs;
  bool is_one = false;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"jobs", &complete::jobs}, field{"is_one", &complete::is_one, hidden{}}};
};

/// The pause before a first retry; it doubles with each further one.
struct backoff_bases {
  std::int64_t usual_ms = 1'000;
  std::map<std::string, std::int64_t, std::less<>> by_type_ms;
  static constexpr auto fields =
      std::tuple{field{"usual_ms", &backoff_bases::usual_ms}, field{"by_type_ms", &backoff_bases::by_type_ms}};
};

struct fail {
  std::string id;
  std::int64_t token = 0;
  std::string error;
  std::optional<std::string> error_code;
  std::optional<std::int64_t> retry_after_s;
  bool permanent = false;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"id", &fail::id, hidden{}},
                                            field{"token", &fail::token, hidden{}},
                                            field{"error", &fail::error, text{0, 10'000}},
                                            field{"error_code", &fail::error_code, text{1, 100}},
                                            field{"retry_after_s", &fail::retry_after_s, integer_range{0, 31'536'000}},
                                            field{"permanent", &fail::permanent, with_default{}}};
};

struct release {
  std::vector<completion> jobs;
  bool is_one = false;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"jobs", &release::jobs}, field{"is_one", &release::is_one, hidden{}}};
};

struct cancel {
  std::string id;
  std::optional<std::string> reason;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"id", &cancel::id, hidden{}}, field{"reason", &cancel::reason, text{0, 1'000}}};
};

/// Cancels as many as one decision takes; the next one goes on behind `after`.
struct cancel_matching {
  std::optional<std::string> type;
  std::optional<queue::status> status;
  std::optional<std::string> reason;
  std::int64_t after = 0;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{
      field{"job_type", &cancel_matching::type}, field{"status", &cancel_matching::status},
      field{"reason", &cancel_matching::reason, text{0, 1'000}}, field{"after", &cancel_matching::after, hidden{}}};
};

struct redrive {
  std::optional<std::vector<std::string>> ids;
  std::optional<std::string> type;
  std::optional<std::string> error_code;
  std::optional<std::string> fingerprint;
  std::optional<std::int64_t> rate_per_s;
  std::int64_t after = 0;        ///< the next decision goes on behind it
  std::int64_t before = 0;       ///< how many the same request has redriven already, for the pace
  std::optional<instant> began;  ///< only what was dead then
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"ids", &redrive::ids},
                                            field{"job_type", &redrive::type},
                                            field{"error_code", &redrive::error_code},
                                            field{"fingerprint", &redrive::fingerprint},
                                            field{"rate_per_s", &redrive::rate_per_s, integer_range{1, 100'000}},
                                            field{"after", &redrive::after, hidden{}},
                                            field{"before", &redrive::before, hidden{}},
                                            field{"began", &redrive::began, hidden{}}};
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
      field{"paused", &configure::paused, hidden{}},
      field{"max_in_flight", &configure::max_in_flight, integer_range{1, 1'000'000}},
      field{"rate_per_s", &configure::rate_per_s, integer_range{1, 100'000}},
      field{"aging_s", &configure::aging_s, integer_range{0, 31'536'000}}, field{"per_key", &configure::per_key}};
};

/// Changes nothing but keeps the answer to a bulk command under its Idempotency-Key.
struct store_response {
  std::variant<cancel_total, redrive_total> response;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"response", &store_response::response, hidden{}}};
};

/// Forgets finished jobs whose retention is over, found by their rows.
struct purge {
  std::vector<std::string> ids;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"ids", &purge::ids, hidden{}}};
};

struct tick {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

// Questions

struct show_settings {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};
struct show_stats {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};
struct explain {
  std::string id;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"id", &explain::id, hidden{}}};
};
struct show_dead {
  std::string after;  ///< fingerprint
  std::int64_t limit = 100;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"after", &show_dead::after, hidden{}}, field{"limit", &show_dead::limit, hidden{}}};
};

using command = std::variant<enqueue, claim, heartbeat, complete, fail, release, cancel, cancel_matching, redrive,
                             configure, store_response, purge, tick, show_settings, show_stats, explain, show_dead>;

}  // namespace callboard::queue
