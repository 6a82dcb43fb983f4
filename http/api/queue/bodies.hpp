#pragma once

#include "http/transport/request_context.hpp"
#include "messages/queue.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What callers of the work queue send, checked.
namespace callboard::http {

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

/// Refuses what can not be an id or a type of jobs.
void check_job_name(std::string_view path, std::string_view name);
/// The job in the path.
const std::string& job_id(const request_context& x);
/// Refuses what can not be a queue's name.
void check_queue(std::string_view path, const std::string& name);
/// `?queue=`, checked.
std::optional<std::string> queue_in_query(const request_context& x);

/// A JSON number from 0 to 1, as text; anything else is refused.
std::string progress_in(const raw_json& value);
/// Refuses what is larger.
void check_size(std::string_view what, std::size_t bytes, std::size_t most);

inline constexpr std::size_t results_bytes_max = std::size_t{1} << 20;
inline constexpr std::size_t data_bytes_max = 256 * 1024;

/// In the order of time, so that indexes grow at their end and jobs of one moment keep their order.
std::string fresh_uuid();

}  // namespace callboard::http
