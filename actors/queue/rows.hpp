#pragma once

#include "actors/queue/state.hpp"
#include "base/sql.hpp"

#include <optional>
#include <string>
#include <vector>

/// How a queue rests in the store: its settings, a row per job that is not over, a row per finished one. A job moves
/// from one table to the other, so that loading a queue never meets its past.
namespace callboard::queue {

struct queue_row {
  std::string name;
  bool paused = false;
  std::optional<std::int64_t> max_in_flight;
  std::optional<std::int64_t> rate_per_s;
  std::int64_t aging_s = 60;
  std::optional<std::string> key_path;
  std::optional<std::int64_t> key_max;
  static constexpr std::string_view table_name = "work_queues";
  static constexpr std::size_t key_columns = 1;
  static constexpr auto fields = std::tuple{field{"name", &queue_row::name},
                                            field{"paused", &queue_row::paused},
                                            field{"max_in_flight", &queue_row::max_in_flight},
                                            field{"rate_per_s", &queue_row::rate_per_s},
                                            field{"aging_s", &queue_row::aging_s},
                                            field{"key_path", &queue_row::key_path},
                                            field{"key_max", &queue_row::key_max}};
};

/// A job that is pending, scheduled, processing or dead.
struct job_row {
  std::string queue;
  std::string id;
  std::string type;
  queue::status status = queue::status::pending;
  std::int64_t weight = 0;
  std::int64_t attempts = 0;
  std::int64_t max_attempts = 0;
  std::int64_t redrives = 0;
  instant run_at;
  instant created_at;
  instant updated_at;
  std::optional<instant> claimed_at;
  std::optional<std::string> worker;
  std::optional<std::int64_t> token;
  std::optional<std::int64_t> lease_ms;
  std::optional<instant> lease_until;
  bool cancel_requested = false;
  std::optional<std::int64_t> ttl_s;
  std::optional<std::string> unique_key;
  std::optional<std::string> fingerprint;
  std::optional<std::string> error_code;  ///< of a dead one
  std::int64_t content = 0;
  std::optional<std::string> flow_key;
  static constexpr std::string_view table_name = "work_jobs";
  static constexpr std::size_t key_columns = 2;
  static constexpr auto fields = std::tuple{field{"queue", &job_row::queue},
                                            field{"id", &job_row::id},
                                            field{"job_type", &job_row::type},
                                            field{"status", &job_row::status},
                                            field{"weight", &job_row::weight},
                                            field{"attempts", &job_row::attempts},
                                            field{"max_attempts", &job_row::max_attempts},
                                            field{"redrives", &job_row::redrives},
                                            field{"run_at", &job_row::run_at},
                                            field{"created_at", &job_row::created_at},
                                            field{"updated_at", &job_row::updated_at},
                                            field{"claimed_at", &job_row::claimed_at},
                                            field{"worker", &job_row::worker},
                                            field{"token", &job_row::token},
                                            field{"lease_ms", &job_row::lease_ms},
                                            field{"lease_until", &job_row::lease_until},
                                            field{"cancel_requested", &job_row::cancel_requested},
                                            field{"ttl_s", &job_row::ttl_s},
                                            field{"unique_key", &job_row::unique_key},
                                            field{"fingerprint", &job_row::fingerprint},
                                            field{"error_code", &job_row::error_code},
                                            field{"content", &job_row::content, payload{}},
                                            field{"flow_key", &job_row::flow_key, payload{}}};
};

/// A job that is complete, cancelled, or failed without being anybody's concern.
struct finished_row {
  std::string queue;
  std::string id;
  std::string type;
  queue::status status = queue::status::complete;
  std::int64_t weight = 0;
  std::int64_t attempts = 0;
  std::int64_t max_attempts = 0;
  std::int64_t redrives = 0;
  instant run_at;
  instant created_at;
  instant completed_at;
  std::optional<instant> claimed_at;
  std::optional<std::string> worker;
  std::optional<std::int64_t> ttl_s;
  std::optional<std::string> unique_key;
  std::int64_t content = 0;
  static constexpr std::string_view table_name = "work_finished";
  static constexpr std::size_t key_columns = 2;
  static constexpr auto fields = std::tuple{field{"queue", &finished_row::queue},
                                            field{"id", &finished_row::id},
                                            field{"job_type", &finished_row::type},
                                            field{"status", &finished_row::status},
                                            field{"weight", &finished_row::weight},
                                            field{"attempts", &finished_row::attempts},
                                            field{"max_attempts", &finished_row::max_attempts},
                                            field{"redrives", &finished_row::redrives},
                                            field{"run_at", &finished_row::run_at},
                                            field{"created_at", &finished_row::created_at},
                                            field{"completed_at", &finished_row::completed_at},
                                            field{"claimed_at", &finished_row::claimed_at},
                                            field{"worker", &finished_row::worker},
                                            field{"ttl_s", &finished_row::ttl_s},
                                            field{"unique_key", &finished_row::unique_key},
                                            field{"content", &finished_row::content, payload{}}};
};

queue_row settings_row(const state& s);
job_row live_row(const state& s, const job& j);
finished_row final_row(const state& s, const job& j, status how, instant at);

/// A row that erases itself.
template <stored Row>
row erasure(Row key) {
  auto r = to_row(key);
  r.erased = true;
  return r;
}

/// The state again from its rows: first its settings, then each job.
state from_row(const queue_row& r);
void add_row(state& s, const job_row& r);

}  // namespace callboard::queue
