#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace callboard::actors {

/// Threads for work outside actors: fetches, computations. Work that was not started when the pool stops is dropped;
/// the state that asked for it asks again after the next start. Without threads somebody calls run_one (tests).
class worker_pool {
public:
  using work = std::function<void(std::stop_token)>;

  explicit worker_pool(int threads);
  ~worker_pool();
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  /// The work should end soon after its token asks for a stop; work that was cancelled before it began never runs.
  std::stop_source submit(work w);
  bool run_one();
  /// Asks everything under way to stop and waits for it.
  void stop();

private:
  struct item {
    work what;
    std::stop_source cancel;
  };
  void loop(std::size_t slot);
  void run(item& i);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<item> waiting_;
  std::vector<std::stop_source> running_;  ///< one per thread
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace callboard::actors
