#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

namespace callboard::persistence {

/// Shuts a socket down when a reply is overdue. Keepalives only end a connection whose peer is gone, not one whose peer
/// acknowledges bytes and never replies.
class watchdog {
public:
  watchdog();
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

private:
  using clock = std::chrono::steady_clock;
  struct watched {
    int socket;
    clock::time_point until;
  };

public:
  /// Watches during its lifetime. The socket must stay open as long.
  class watch {
  public:
    watch(watchdog& dog, int socket, std::chrono::milliseconds limit);
    ~watch();
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;

  private:
    watchdog& dog_;
    std::list<watched>::iterator at_;
  };

private:
  void loop();

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::list<watched> watched_;
  std::thread thread_;
};

}  // namespace callboard::persistence
