#pragma once

#include "base/described.hpp"
#include "base/json_write.hpp"
#include "http/transport/request_context.hpp"
#include "messages/queue/commands.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What callers of the work queue send, checked.
namespace callboard::http {

struct new_job_body {
  std::optional<std::string> id;
  std::optional<std::string> queue;
  std::string type;
  std::optional<raw_json> data;
  std::optional<raw_json> metadata;
  std::optional<raw_json> priority;
  std::optional<std::int64_t> max_attempts;
  std::optional<instant> run_at;
  std::optional<std::int64_t> ttl_s;
  std::optional<std::string> unique_key;
  static constexpr auto fields = std::tuple{field{"id", &new_job_body::id},
                                            field{"queue", &new_job_body::queue},
                                            field{"job_type", &new_job_body::type},
                                            field{"data", &new_job_body::data},
                                            field{"metadata", &new_job_body::metadata},
                                            field{"priority", &new_job_body::priority},
                                            field{"max_attempts", &new_job_body::max_attempts, queue::attempts_bounds},
                                            field{"run_at", &new_job_body::run_at},
                                            field{"ttl_s", &new_job_body::ttl_s, integer_range{1, 31'536'000}},
                                            field{"unique_key", &new_job_body::unique_key, text{1, 200}}};
};

struct new_jobs_body {
  std::vector<new_job_body> jobs;
  std::optional<std::string> queue;
  static constexpr auto fields = std::tuple{field{"jobs", &new_jobs_body::jobs}, field{"queue", &new_jobs_body::queue}};
};

struct work_claim_body {
  std::string worker;
  std::optional<std::vector<std::string>> types;
  std::optional<std::string> queue;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> lease_s;
  std::optional<std::int64_t> wait_s;
  static constexpr auto fields = std::tuple{field{"worker_id", &work_claim_body::worker, text{1, 200}},
                                            field{"job_types", &work_claim_body::types},
                                            field{"queue", &work_claim_body::queue},
                                            field{"limit", &work_claim_body::limit, integer_range{1, 1'000}},
                                            field{"lease_s", &work_claim_body::lease_s, integer_range{1, 43'200}},
                                            field{"wait_s", &work_claim_body::wait_s, integer_range{0, 30}}};
};

struct heartbeat_body {
  std::string token;
  std::optional<raw_json> progress;
  std::optional<std::string> message;
  std::optional<raw_json> checkpoint;
  static constexpr auto fields = std::tuple{
      field{"lease_token", &heartbeat_body::token}, field{"progress", &heartbeat_body::progress},
      field{"message", &heartbeat_body::message, text{0, 2'000}}, field{"checkpoint", &heartbeat_body::checkpoint}};
};

struct completion_body {
  std::string token;
  std::optional<raw_json> results;
  static constexpr auto fields =
      std::tuple{field{"lease_token", &completion_body::token}, field{"results", &completion_body::results}};
};

struct named_completion {
  std::string id;
  std::string token;
  std::optional<raw_json> results;
  static constexpr auto fields =
      std::tuple{field{"id", &named_completion::id}, field{"lease_token", &named_completion::token},
                 field{"results", &named_completion::results}};
};
struct completions_body {
  std::vector<named_completion> jobs;
  static constexpr auto fields = std::tuple{field{"jobs", &completions_body::jobs}};
};

struct failure_body {
  std::string token;
  std::string error;
  std::optional<std::string> error_code;
  std::optional<std::int64_t> retry_after_s;
  std::optional<bool> permanent;
  static constexpr auto fields =
      std::tuple{field{"lease_token", &failure_body::token}, field{"error", &failure_body::error, text{0, 10'000}},
                 field{"error_code", &failure_body::error_code, text{1, 100}},
                 field{"retry_after_s", &failure_body::retry_after_s, integer_range{0, 31'536'000}},
                 field{"permanent", &failure_body::permanent}};
};

struct cancel_job_body {
  std::optional<std::string> reason;
  std::optional<std::string> queue;
  static constexpr auto fields =
      std::tuple{field{"reason", &cancel_job_body::reason, text{0, 1'000}}, field{"queue", &cancel_job_body::queue}};
};

struct cancel_jobs_body {
  std::optional<std::string> queue;
  std::optional<std::string> type;
  std::optional<queue::status> status;
  std::optional<std::string> reason;
  static constexpr auto fields = std::tuple{
      field{"queue", &cancel_jobs_body::queue}, field{"job_type", &cancel_jobs_body::type},
      field{"status", &cancel_jobs_body::status}, field{"reason", &cancel_jobs_body::reason, text{0, 1'000}}};
};

struct no_members {
  static constexpr auto fields = std::tuple{};
};

struct redrive_body {
  std::optional<std::vector<std::string>> ids;
  std::optional<std::string> type;
  std::optional<std::string> error_code;
  std::optional<std::string> fingerprint;
  std::optional<std::string> queue;
  std::optional<std::int64_t> rate_per_s;
  static constexpr auto fields = std::tuple{field{"ids", &redrive_body::ids},
                                            field{"job_type", &redrive_body::type},
                                            field{"error_code", &redrive_body::error_code},
                                            field{"fingerprint", &redrive_body::fingerprint},
                                            field{"queue", &redrive_body::queue},
                                            field{"rate_per_s", &redrive_body::rate_per_s, integer_range{1, 100'000}}};
};

struct wanted_jobs {
  std::string queue;
  queue::enqueue command;
  bool names_ids = false;  ///< at least one id is the caller's own: it may be known already
};

/// One job, or `{"jobs":[…]}`.
wanted_jobs jobs_in(const request_context& x);

struct wanted_claim {
  std::string queue;
  queue::claim command;
};
wanted_claim claim_in(const request_context& x);

/// A lease as its token names it.
struct lease_name {
  std::string queue;
  std::int64_t token = 0;
};
std::optional<lease_name> lease_in(std::string_view token);

/// Refuses what cannot be an id or a type of jobs.
void check_job_name(std::string_view path, std::string_view name);
/// The job in the path.
const std::string& job_id(const request_context& x);
/// Refuses what cannot be a queue's name.
void check_queue(std::string_view path, const std::string& name);
/// The same for a queue that may be absent.
std::optional<std::string> checked_queue(std::optional<std::string> name);

/// A JSON number from 0 to 1, as text; anything else is refused.
std::string progress_in(const raw_json& value);
/// Refuses what is larger.
void check_size(std::string_view what, std::size_t bytes, std::size_t most);

inline constexpr std::size_t results_bytes_max = std::size_t{1} << 20;
inline constexpr std::size_t data_bytes_max = 256 * 1024;

/// In the order of time, so that indexes grow at their end and jobs of one moment keep their order.
std::string fresh_uuid();

}  // namespace callboard::http
