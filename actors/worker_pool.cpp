#include "actors/worker_pool.hpp"

#include <utility>

namespace callboard::actors {

worker_pool::worker_pool(int threads) : running_(static_cast<std::size_t>(threads)) {
  for (std::size_t i = 0; i < running_.size(); ++i)
    threads_.emplace_back([this, i] { loop(i); });
}

worker_pool::~worker_pool() { stop(); }

std::stop_source worker_pool::submit(work w) {
  item i{std::move(w), std::stop_source{}};
  auto cancel = i.cancel;
  {
    const std::lock_guard lock{mutex_};
    if (!stopping_)
      waiting_.push_back(std::move(i));
  }
  wake_.notify_one();
  return cancel;
}

bool worker_pool::run_one() {
  item next;
  {
    const std::lock_guard lock{mutex_};
    if (waiting_.empty())
      return false;
    next = std::move(waiting_.front());
    waiting_.pop_front();
  }
  run(next);
  return true;
}

void worker_pool::stop() {
  std::deque<item> dropped;
  {
    const std::lock_guard lock{mutex_};
    if (std::exchange(stopping_, true))
      return;
    dropped.swap(waiting_);
    for (auto& r : running_)
      r.request_stop();
  }
  wake_.notify_all();
  for (auto& t : threads_)
    t.join();
}

void worker_pool::loop(std::size_t slot) {
  std::unique_lock lock{mutex_};
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_)
      return;
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    running_[slot] = next.cancel;
    lock.unlock();
    run(next);
    next = {};
    lock.lock();
  }
}

void worker_pool::run(item& i) {
  if (!i.cancel.stop_requested())
    i.what(i.cancel.get_token());
}

}  // namespace callboard::actors
