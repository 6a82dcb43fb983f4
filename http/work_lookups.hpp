#pragma once

#include "actors/queue/reads.hpp"
#include "http/exchange.hpp"
#include "persistence/readers.hpp"

#include <functional>
#include <string>
#include <vector>

namespace callboard::http {

/// What the work queue's callers must know of rows, looked up together with others' questions.
class work_lookups {
public:
  explicit work_lookups(persistence::readers& pool)
    : finished_{pool, queue::finished_of}, words_{pool, queue::words_of} {}

  /// Fills in which of an enqueue's jobs are over already, then calls `go`; false: the store did not answer.
  void check_finished(const std::string& queue, queue::enqueue& command, std::function<void(bool asked)> go);

  using words_sink = std::function<void(bool asked, queue::words_by_place)>;
  void find_words(std::vector<std::string> places, words_sink go);

private:
  persistence::grouped<std::string, queue::finished_job> finished_;
  persistence::grouped<std::string, queue::words> words_;
};

/// What people and workers wrote about these jobs, filled in.
task<void> fill_words(exchange& x, std::vector<queue::job_view>& jobs);

} // namespace callboard::http
