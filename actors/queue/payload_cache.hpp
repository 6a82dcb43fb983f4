#pragma once

#include "actors/queue/reads.hpp"

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace callboard::queue {

/// Payload of jobs that were just enqueued and are likely to be claimed soon: then it need not be read from the store.
/// Of a long backlog the oldest are kept, which are claimed first. Only for ids that nobody else can have used.
class payload_cache {
public:
  void put(std::string job_key, job_payload p);
  /// Handed out once.
  std::optional<job_payload> take(const std::string& job_key);

private:
  static constexpr std::size_t bytes_max = std::size_t{64} << 20;
  static constexpr std::chrono::minutes kept_for{5};

  std::mutex mutex_;
  std::unordered_map<std::string, job_payload> payloads_;
  std::deque<std::pair<std::chrono::steady_clock::time_point, std::string>> oldest_first_;
  std::size_t bytes_ = 0;
};

}  // namespace callboard::queue
