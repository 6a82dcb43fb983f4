#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <list>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace callboard::test {

/// A TCP proxy on 127.0.0.1 that fails on request. One thread; for a few connections.
class tcp_proxy {
public:
  /// `127.0.0.1:port`.
  explicit tcp_proxy(const std::string& target) : target_{address_of(target)} {
    auto any = address_of("127.0.0.1:0");
    socklen_t size = sizeof any;
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&any), size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&any), &size) != 0)
      throw std::runtime_error("the proxy cannot listen");
    port_ = ntohs(any.sin_port);
    thread_ = std::thread{[this] { loop(); }};
  }
  ~tcp_proxy() {
    stopping_ = true;
    thread_.join();
    for (const auto& p : pairs_)
      close(p);
    ::close(listener_);
  }
  tcp_proxy(const tcp_proxy&) = delete;
  tcp_proxy& operator=(const tcp_proxy&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  /// Forwards everything.
  void forward() { become(mode::forward); }
  /// Drops what the server sends; still forwards what clients send.
  void lose_replies() { become(mode::lose_replies); }
  /// Forwards nothing either way and keeps all connections open.
  void go_silent() { become(mode::silent); }
  /// Closes new connections at once.
  void refuse(bool on) { refusing_ = on; }
  /// Closes all connections to clients; returns when it is done. Those to the server stay open until the proxy ends, so
  /// that the server does not notice that its client is gone.
  void cut() {
    cutting_ = true;
    while (cutting_)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }

private:
  enum class mode { forward, lose_replies, silent };
  struct pair {
    int client, server;
    bool cut = false;
  };

  /// Returns when the previous mode has ended.
  void become(mode m) {
    mode_ = m;
    const auto begun = rounds_.load();
    while (rounds_ < begun + 2)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }

  static sockaddr_in address_of(const std::string& text) {
    const auto colon = text.find(':');
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_port = htons(static_cast<std::uint16_t>(std::stoi(text.substr(colon + 1))));
    if (::inet_pton(AF_INET, text.substr(0, colon).c_str(), &out.sin_addr) != 1)
      throw std::runtime_error("the proxy wants an IPv4 address, not " + text);
    return out;
  }

  static void close(const pair& p) {
    if (!p.cut)
      ::close(p.client);
    ::close(p.server);
  }

  void accept() {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client >= 0 && !refusing_ &&
        ::connect(server, reinterpret_cast<const sockaddr*>(&target_), sizeof target_) == 0) {
      pairs_.push_back({client, server});
      return;
    }
    ::close(client);
    ::close(server);
  }

  /// False when this direction has ended.
  static bool pass(int from, int to, bool drop) {
    char buffer[16'384];
    const auto n = ::recv(from, buffer, sizeof buffer, 0);
    if (n <= 0)
      return false;
    for (ssize_t sent = 0; !drop && sent < n;) {
      const auto m = ::send(to, buffer + sent, static_cast<std::size_t>(n - sent), MSG_NOSIGNAL);
      if (m <= 0)
        return false;
      sent += m;
    }
    return true;
  }

  void loop() {
    for (; !stopping_; ++rounds_) {
      if (cutting_) {
        for (auto& p : pairs_)
          if (!p.cut) {
            ::close(p.client);
            p.cut = true;
          }
        cutting_ = false;
      }
      const auto now = mode_.load();
      std::vector<pollfd> ready{{listener_, POLLIN, 0}};
      for (const auto& p : pairs_) {
        ready.push_back({p.cut || now == mode::silent ? -1 : p.client, POLLIN, 0});
        ready.push_back({p.cut || now == mode::silent ? -1 : p.server, POLLIN, 0});
      }
      if (::poll(ready.data(), ready.size(), 5) <= 0)
        continue;
      std::size_t i = 1;
      for (auto it = pairs_.begin(); it != pairs_.end(); i += 2) {
        const bool alive = (ready[i].revents == 0 || pass(it->client, it->server, false)) &&
                           (ready[i + 1].revents == 0 || pass(it->server, it->client, now == mode::lose_replies));
        if (!alive)
          close(*it);
        it = alive ? std::next(it) : pairs_.erase(it);
      }
      if (ready[0].revents != 0)
        accept();
    }
  }

  sockaddr_in target_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> cutting_ = false;
  std::atomic<bool> refusing_ = false;
  std::atomic<mode> mode_ = mode::forward;
  std::atomic<unsigned> rounds_ = 0;
  std::list<pair> pairs_;
  std::thread thread_;
};

}  // namespace callboard::test
