#pragma once

#include "base/described.hpp"
#include "http/api/pages.hpp"
#include "http/transport/schema.hpp"
#include "messages/outcome.hpp"
#include "messages/queue/views.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the work queue's calls answer with beyond what its actor says, and their queries.
namespace callboard::http {

struct queue_query {
  std::optional<std::string> queue;
  static constexpr auto fields = std::tuple{field{"queue", &queue_query::queue}};
};

struct work_jobs_query {
  std::optional<std::int64_t> limit;
  std::optional<std::string> cursor;
  std::optional<queue::status> status;
  std::optional<std::string> type;
  std::optional<std::string> queue;
  static constexpr auto fields =
      std::tuple{field{"limit", &work_jobs_query::limit, limit_bounds}, field{"cursor", &work_jobs_query::cursor},
                 field{"status", &work_jobs_query::status}, field{"job_type", &work_jobs_query::type},
                 field{"queue", &work_jobs_query::queue}};
};

struct dead_query {
  std::optional<std::int64_t> limit;
  std::optional<std::string> cursor;
  std::optional<std::string> queue;
  static constexpr auto fields = std::tuple{field{"limit", &dead_query::limit, limit_bounds},
                                            field{"cursor", &dead_query::cursor}, field{"queue", &dead_query::queue}};
};

/// A job that was enqueued alone.
struct enqueued_job {
  queue::job_view job;
  bool deduplicated = false;
  static constexpr auto fields =
      std::tuple{field{"job", &enqueued_job::job, inlined{}}, field{"deduplicated", &enqueued_job::deduplicated}};
};

struct result_error {
  code what = code::stale_lease;
  std::optional<std::string> message;
  static constexpr auto fields =
      std::tuple{field{"code", &result_error::what}, field{"message", &result_error::message}};
};

/// What became of one job, without the members that say nothing.
struct shown_result {
  std::string id;
  std::optional<queue::status> status;
  std::optional<std::int64_t> attempts;
  std::optional<instant> completed_at;
  std::optional<instant> run_at;
  std::optional<bool> cancel_requested;
  std::optional<result_error> error;
  static constexpr auto fields =
      std::tuple{field{"id", &shown_result::id},
                 field{"status", &shown_result::status, omitted_when_absent{}},
                 field{"attempts", &shown_result::attempts, omitted_when_absent{}},
                 field{"completed_at", &shown_result::completed_at, omitted_when_absent{}},
                 field{"run_at", &shown_result::run_at, omitted_when_absent{}},
                 field{"cancel_requested", &shown_result::cancel_requested, omitted_when_absent{}},
                 field{"error", &shown_result::error, omitted_when_absent{}}};
};

struct shown_results {
  std::vector<shown_result> jobs;
  static constexpr auto fields = std::tuple{field{"jobs", &shown_results::jobs}};
};

struct work_jobs {
  rows_text<queue::job_view> jobs;
  std::optional<std::string> next_cursor;
  static constexpr auto fields =
      std::tuple{field{"jobs", &work_jobs::jobs}, field{"next_cursor", &work_jobs::next_cursor}};
};

struct queue_stats {
  std::vector<queue::stats> queues;
  static constexpr auto fields = std::tuple{field{"queues", &queue_stats::queues}};
};

struct queue_list {
  std::vector<queue::settings_view> queues;
  static constexpr auto fields = std::tuple{field{"queues", &queue_list::queues}};
};

struct dead_list {
  std::vector<queue::dead_group> groups;
  std::optional<std::string> next_cursor;
  static constexpr auto fields =
      std::tuple{field{"groups", &dead_list::groups}, field{"next_cursor", &dead_list::next_cursor}};
};

}  // namespace callboard::http
