#pragma once

#include "actors/queue/reads.hpp"
#include "http/transport/request_context.hpp"
#include "persistence/readers.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace callboard::http {

/// What the work queue's callers must know of rows, looked up together with others' questions.
class queue_lookups {
public:
  explicit queue_lookups(persistence::readers& pool)
      : finished_{pool, queue::finished_of}, payloads_{pool, queue::payloads_of, 1'000, 2} {}

  /// Fills in which of an enqueue's jobs are over already, then calls `go`; false: the store did not answer.
  void check_finished(const std::string& queue, queue::enqueue& command, std::function<void(bool asked)> go);

  /// What callers just brought is likely to be claimed soon: then it need not be read again. Of a long backlog the
  /// oldest are kept, whose turn comes first. Only for ids that nobody else can have used.
  void remember(std::string job_key, queue::job_payload w);
  /// Given once.
  std::optional<queue::job_payload> recall(const std::string& job_key);

  using payloads_sink = std::function<void(bool asked, queue::payloads_by_key)>;
  void find_payloads(std::vector<std::string> job_keys, payloads_sink go);

private:
  static constexpr std::size_t remembered_bytes_max = std::size_t{64} << 20;
  static constexpr std::chrono::minutes remembered_for{5};

  std::mutex mutex_;
  std::unordered_map<std::string, queue::job_payload> remembered_;
  std::deque<std::pair<std::chrono::steady_clock::time_point, std::string>> oldest_first_;
  std::size_t remembered_bytes_ = 0;

  persistence::grouped<std::string, queue::finished_job> finished_;
  persistence::grouped<std::string, queue::job_payload> payloads_;
};

/// What people and workers wrote about these jobs, filled in.
task<void> attach_payloads(request_context& x, std::vector<queue::job_view>& jobs);

}  // namespace callboard::http
