#pragma once

#include "actors/queue/reads.hpp"
#include "http/exchange.hpp"
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
class work_lookups {
public:
  explicit work_lookups(persistence::readers& pool)
    : finished_{pool, queue::finished_of}, words_{pool, queue::words_of, 1'000, 2} {}

  /// Fills in which of an enqueue's jobs are over already, then calls `go`; false: the store did not answer.
  void check_finished(const std::string& queue, queue::enqueue& command, std::function<void(bool asked)> go);

  /// What callers just brought is likely to be claimed soon: then it need not be read again. Of a long backlog the oldest
  /// are kept, whose turn comes first. Only for ids that nobody else can have used.
  void remember(std::string place, queue::words w);
  /// Given once.
  std::optional<queue::words> recall(const std::string& place);

  using words_sink = std::function<void(bool asked, queue::words_by_place)>;
  void find_words(std::vector<std::string> places, words_sink go);

private:
  static constexpr std::size_t remembered_bytes_max = std::size_t{64} << 20;
  static constexpr std::chrono::minutes remembered_for{5};

  std::mutex mutex_;
  std::unordered_map<std::string, queue::words> remembered_;
  std::deque<std::pair<std::chrono::steady_clock::time_point, std::string>> oldest_first_;
  std::size_t remembered_bytes_ = 0;

  persistence::grouped<std::string, queue::finished_job> finished_;
  persistence::grouped<std::string, queue::words> words_;
};

/// What people and workers wrote about these jobs, filled in.
task<void> fill_words(exchange& x, std::vector<queue::job_view>& jobs);

} // namespace callboard::http
