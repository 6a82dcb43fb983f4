#include "persistence/readers.hpp"

namespace callboard::persistence {

readers::readers(store& from, int threads) : store_{from} {
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back([this] { loop(); });
}

readers::~readers() { stop(); }

void readers::stop() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& t : threads_)
    t.join();
  threads_.clear();
}

void readers::submit(job j) {
  {
    const std::lock_guard lock{mutex_};
    jobs_.push_back(std::move(j));
  }
  wake_.notify_one();
}

bool readers::run_one() {
  job next;
  {
    const std::lock_guard lock{mutex_};
    if (jobs_.empty())
      return false;
    next = std::move(jobs_.front());
    jobs_.pop_front();
  }
  if (!own_)
    own_ = store_.open_reader();
  next(*own_);
  return true;
}

void readers::loop() {
  const auto mine = store_.open_reader();
  for (;;) {
    job next;
    {
      std::unique_lock lock{mutex_};
      wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty())
        return;
      next = std::move(jobs_.front());
      jobs_.pop_front();
    }
    next(*mine);
  }
}

}  // namespace callboard::persistence
