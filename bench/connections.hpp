#pragma once

#include "bench/histogram.hpp"
#include "bench/wire.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace bench {

using steady = std::chrono::steady_clock;

/// Produces requests and takes their answers.
class traffic {
public:
  virtual ~traffic() = default;
  /// Appends one whole request; false when there is nothing left to send.
  virtual bool next(std::string& out, std::int64_t& tag) = 0;
  /// Asked when `next` had nothing: false while an answer that is still to come may bring more.
  virtual bool over() const { return true; }
  /// True when the answer is the expected one. Status 0: the connection was lost, the outcome is unknown.
  virtual bool answered(std::int64_t tag, int status, std::string_view body) = 0;
};

/// How long and how fast; everything a run does is bounded by it.
struct pace {
  std::chrono::duration<double> warm_up{0};
  std::chrono::duration<double> measured{3'600};
  double per_second = 0;                ///< 0: each connection sends when its last answer has come
  std::function<void()> begin = [] {};  ///< called when the measured time begins and ends
  std::function<void()> end = [] {};
};

struct run_metrics {
  std::uint64_t requests = 0;  ///< answered within the measured time
  std::uint64_t ok = 0;
  std::uint64_t ok_in_all = 0;         ///< also while warming up and while the last ones came in
  std::map<int, std::uint64_t> other;  ///< by status, in all
  histogram latency;
  double seconds = 0;
};

/// Keep-alive connections to one port of this machine, one request in flight on each, all on one
/// thread.
class connection_pool {
public:
  connection_pool(int port, int connections)
      : port_{port}, epoll_{epoll_create1(EPOLL_CLOEXEC)}, links_(static_cast<std::size_t>(connections)) {
    if (epoll_ < 0)
      throw std::system_error(errno, std::generic_category(), "epoll_create1");
    for (auto& one : links_)
      open(one);
  }
  ~connection_pool() {
    for (const auto& one : links_)
      if (one.fd >= 0)
        ::close(one.fd);
    ::close(epoll_);
  }
  connection_pool(const connection_pool&) = delete;
  connection_pool& operator=(const connection_pool&) = delete;

  run_metrics run(traffic& of, const pace& p) {
    traffic_ = &of;
    metrics_ = {};
    sending_ = true;
    per_second_ = p.per_second;
    const auto start = steady::now();
    next_due_ = start;
    const auto from = start + std::chrono::duration_cast<steady::duration>(p.warm_up);
    const auto until = from + std::chrono::duration_cast<steady::duration>(p.measured);
    now_ = start;
    if (from > start)
      launch_idle();
    while (now_ < from && active())
      turn(from);
    p.begin();
    measuring_ = true;
    const auto began = now_ = steady::now();
    next_due_ = std::max(next_due_, began);
    launch_idle();
    while (now_ < until && active())
      turn(until);
    metrics_.seconds = std::chrono::duration<double>(now_ - began).count();
    measuring_ = false;
    p.end();
    drain();
    return std::move(metrics_);
  }

private:
  struct link {
    int fd = -1;
    bool busy = false;
    bool waits_to_write = false;
    std::size_t sent = 0;
    std::int64_t tag = 0;
    steady::time_point since;
    std::string out;
    std::string in;
  };

  static constexpr auto drain_max = std::chrono::seconds{15};
  static constexpr int lost_max = 1'000;

  bool active() const { return busy_ > 0 || sending_; }

  void open(link& one) {
    one.fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port_));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (one.fd < 0 || ::connect(one.fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot connect to port " + std::to_string(port_));
    const int on = 1;
    ::setsockopt(one.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event what{};
    what.events = EPOLLIN;
    what.data.ptr = &one;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, one.fd, &what);
    one.in.clear();
    one.waits_to_write = false;
  }

  void launch_idle() {
    for (auto& one : links_)
      if (!one.busy && !launch(one))
        return;
  }

  /// False when nothing may be sent now.
  bool launch(link& one) {
    if (!sending_ || (per_second_ > 0 && next_due_ > now_))
      return false;
    one.out.clear();
    if (!traffic_->next(one.out, one.tag)) {
      sending_ = !traffic_->over();
      return false;
    }
    one.since = now_;
    if (per_second_ > 0) {
      // Counted from when it was due: a slow answer must not hide that others had to wait for a
      // connection.
      one.since = next_due_;
      next_due_ += std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(1 / per_second_));
    }
    one.sent = 0;
    one.busy = true;
    ++busy_;
    write_some(one);
    return true;
  }

  void write_some(link& one) {
    while (one.sent < one.out.size()) {
      const auto n = ::send(one.fd, one.out.data() + one.sent, one.out.size() - one.sent, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0 && errno == EAGAIN)
        return watch_writing(one, true);
      if (n < 0)
        return;  // the reading side sees the end
      one.sent += static_cast<std::size_t>(n);
    }
    if (one.waits_to_write)
      watch_writing(one, false);
  }

  void watch_writing(link& one, bool on) {
    epoll_event what{};
    what.events = on ? EPOLLIN | EPOLLOUT : EPOLLIN;
    what.data.ptr = &one;
    ::epoll_ctl(epoll_, EPOLL_CTL_MOD, one.fd, &what);
    one.waits_to_write = on;
  }

  void turn(steady::time_point until) {
    auto wake = until;
    const bool paced = sending_ && per_second_ > 0 && static_cast<std::size_t>(busy_) < links_.size();
    if (paced)
      wake = std::min(wake, next_due_);
    // Finer than the milliseconds of epoll_wait, or a paced run would come in bursts.
    const auto wait_ns = std::clamp<std::int64_t>((wake - now_).count(), 0, 999'999'999);
    const timespec wait{0, wait_ns};
    epoll_event happened[256];
    const int n = ::epoll_pwait2(epoll_, happened, 256, &wait, nullptr);
    now_ = steady::now();
    for (int i = 0; i < n; ++i) {
      auto& one = *static_cast<link*>(happened[i].data.ptr);
      if ((happened[i].events & EPOLLOUT) != 0)
        write_some(one);
      if ((happened[i].events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0)
        read_some(one);
    }
    if (paced && next_due_ <= now_)
      launch_idle();
  }

  void read_some(link& one) {
    char piece[64 * 1024];
    const auto n = ::recv(one.fd, piece, sizeof piece, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (n <= 0)
      return lose(one);
    // Most answers come in one piece and need no copy.
    std::string_view in{piece, static_cast<std::size_t>(n)};
    if (!one.in.empty())
      in = one.in.append(in);
    const auto reply = parse_reply(in, chunks_);
    if (!reply) {
      if (one.in.empty())
        one.in.assign(in);
      return;
    }
    if (!one.busy || reply->size != in.size())
      throw std::runtime_error("an answer that nobody asked for");
    finish(one, reply->status, reply->body);
    one.in.clear();
    if (reply->closes)
      reopen(one);
    launch(one);
  }

  void finish(link& one, int status, std::string_view body) {
    one.busy = false;
    --busy_;
    const bool ok = traffic_->answered(one.tag, status, body);
    if (ok)
      ++metrics_.ok_in_all;
    else
      ++metrics_.other[status];
    if (!measuring_)
      return;
    ++metrics_.requests;
    metrics_.ok += ok ? 1 : 0;
    metrics_.latency.add(now_ - one.since);
  }

  void reopen(link& one) {
    ::close(one.fd);
    one.fd = -1;
    open(one);
  }

  void lose(link& one) {
    if (++lost_ > lost_max)
      throw std::runtime_error("the server closes its connections");
    if (one.busy)
      finish(one, 0, {});
    reopen(one);
    launch(one);
  }

  void drain() {
    sending_ = false;
    const auto until = steady::now() + drain_max;
    while (busy_ > 0 && now_ < until)
      turn(until);
    if (busy_ > 0)
      throw std::runtime_error(std::to_string(busy_) + " requests were never answered");
  }

  int port_;
  int epoll_;
  std::vector<link> links_;
  traffic* traffic_ = nullptr;
  run_metrics metrics_;
  std::string chunks_;
  steady::time_point now_;
  steady::time_point next_due_;
  double per_second_ = 0;
  int busy_ = 0;
  int lost_ = 0;
  bool sending_ = false;
  bool measuring_ = false;
};

/// A list of requests, each sent once; the bodies of their answers in the same order.
class request_list : public traffic {
public:
  request_list(std::vector<std::string> requests, int expected)
      : bodies(requests.size()), requests_{std::move(requests)}, expected_{expected} {}

  bool next(std::string& out, std::int64_t& tag) override {
    if (sent_ == requests_.size())
      return false;
    out.swap(requests_[sent_]);
    tag = static_cast<std::int64_t>(sent_++);
    return true;
  }
  bool answered(std::int64_t tag, int status, std::string_view body) override {
    bodies[static_cast<std::size_t>(tag)] = body;
    if (status != expected_ && problem_.empty())
      problem_ = std::to_string(status) + " " + std::string{body.substr(0, 300)};
    return status == expected_;
  }
  /// Throws when an answer had another status.
  void check() const {
    if (!problem_.empty())
      throw std::runtime_error("unexpected answer: " + problem_);
  }

  std::vector<std::string> bodies;

private:
  std::vector<std::string> requests_;
  int expected_;
  std::size_t sent_ = 0;
  std::string problem_;
};

/// Sends all of them and returns the bodies; throws unless every status is the expected one.
inline std::vector<std::string> ask_all(connection_pool& with, std::vector<std::string> requests, int expected) {
  request_list all{std::move(requests), expected};
  with.run(all, {});
  all.check();
  return std::move(all.bodies);
}

}  // namespace bench
