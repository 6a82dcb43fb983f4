#pragma once

#include "messages/queue/commands.hpp"
#include "messages/queue/payload.hpp"
#include "messages/queue/views.hpp"
#include "persistence/store.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

/// Jobs as their rows tell them: SQL, no actor is asked.
namespace callboard::queue {

/// A queue and a job in it as one text, to look up by.
std::string job_key(std::string_view queue, std::string_view id);

/// What people and workers wrote about a job.
struct job_payload {
  std::string data = "{}";
  std::string metadata = "{}";
  std::string priority = "null";
  report_row report;
};
using payloads_by_key = std::unordered_map<std::string, job_payload>;
payloads_by_key payloads_of(persistence::reader& from, std::vector<std::string> job_keys);
void fill_in(job_view& v, job_payload w);
/// What a caller wrote about a new job.
job_payload payload_in(const new_job& j);

/// Those of these jobs that are over.
std::unordered_map<std::string, finished_job> finished_of(persistence::reader& from, std::vector<std::string> job_keys);

/// The jobs of this id, one per queue; of one queue when it is given.
std::vector<job_view> find_jobs(persistence::reader& from, const std::string& id,
                                const std::optional<std::string>& queue);

struct job_filter {
  std::optional<status> is;
  std::optional<std::string> type;
  std::optional<std::string> queue;
};
/// Jobs behind (queue, id), in that order.
std::vector<job_view> jobs_page(persistence::reader& from, const job_filter& f, const std::string& queue,
                                const std::string& id, std::int64_t limit);

/// Which queues have jobs of these ids.
std::vector<std::pair<std::string, std::string>> known_jobs(persistence::reader& from, std::vector<std::string> wanted);

/// Names of queues, in order.
std::vector<std::string> queue_names(persistence::reader& from);

}  // namespace callboard::queue
