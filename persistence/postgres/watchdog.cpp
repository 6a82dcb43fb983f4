#include "persistence/postgres/watchdog.hpp"

#include <sys/socket.h>

namespace callboard::persistence {

namespace {

// Polls instead of being notified, because a watch begins and ends with every statement.
constexpr std::chrono::milliseconds round{500};

}  // namespace

watchdog::watchdog() : thread_{[this] { loop(); }} {}

watchdog::~watchdog() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

watchdog::watch::watch(watchdog& dog, int socket, std::chrono::milliseconds limit) : dog_{dog} {
  const std::lock_guard lock{dog_.mutex_};
  at_ = dog_.watched_.insert(dog_.watched_.end(), {socket, clock::now() + limit});
}

watchdog::watch::~watch() {
  const std::lock_guard lock{dog_.mutex_};
  dog_.watched_.erase(at_);
}

void watchdog::loop() {
  std::unique_lock lock{mutex_};
  while (!wake_.wait_for(lock, round, [this] { return stopping_; })) {
    const auto now = clock::now();
    for (const auto& w : watched_)
      if (w.until < now)
        ::shutdown(w.socket, SHUT_RDWR);  // the waiting thread gets a lost connection
  }
}

}  // namespace callboard::persistence
