#include "http/transport/io_thread.hpp"

#include "base/log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <future>

namespace callboard::http {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

constexpr milliseconds no_descriptors_pause{100};
// How long an idle connection stays open after a stop, because a request may already be under way.
constexpr milliseconds idle_grace{200};
constexpr milliseconds draining_period{20};
// Connections above the limit that are answered 503 at a time; further ones are closed without an answer.
constexpr int dismissals_max = 64;

auto into(error_code& ec) { return asio::redirect_error(asio::use_awaitable_t<executor>{}, ec); }

/// The interval at which timeouts are checked: a quarter of the shortest, at most a second.
milliseconds look_period(const config::settings& s) {
  const auto shortest =
      std::min({s.http_head_timeout_ms, s.http_body_timeout_ms, s.http_write_timeout_ms, s.http_idle_timeout_ms});
  return milliseconds{std::clamp(shortest / 4, 10, 1000)};
}

bool is_shortage(const error_code& ec) {
  return ec == asio::error::no_descriptors || ec == asio::error::no_buffer_space || ec == asio::error::no_memory ||
         ec.value() == ENFILE;
}

struct count_up {
  explicit count_up(int& n) : n_{n} { ++n_; }
  count_up(const count_up&) = delete;
  ~count_up() { --n_; }
  int& n_;
};

}  // namespace

io_thread::io_thread(const server_context& e) : server_context_{e}, acceptor_{io_} {}

void io_thread::start() {
  asio::co_spawn(io_, accept_connections(), asio::detached);
  asio::co_spawn(io_, look_for_late_ones(), asio::detached);
  thread_ = std::thread{[this] { io_.run(); }};
}

task<void> io_thread::accept_connections() {
  timer pause{io_};
  while (!is_draining_) {
    error_code ec;
    tcp_socket socket{io_};
    // Accept the next connection.
    co_await acceptor_.async_accept(socket, into(ec));
    if (!ec) {
      welcome(std::move(socket));
    } else if (is_shortage(ec)) {
      log_line(log_level::warn, "no descriptor for a new connection", {{"error", ec.message()}});
      for (auto& s : sessions_)
        s.hurry_if_idle(std::chrono::seconds{0});
      pause.expires_after(no_descriptors_pause);
      // Pause, because trying again at once would only use up the CPU.
      co_await pause.async_wait(into(ec));
    }
  }
}

void io_thread::welcome(tcp_socket socket) {
  // Counted here and not in the coroutine, so that a stop does not miss sessions that are about to start.
  open_connection open{server_context_.state.metrics, server_context_.state.settings.http_connections_max};
  asio::co_spawn(io_, serve(std::move(socket), std::move(open)), asio::detached);
}

task<void> io_thread::serve(tcp_socket socket, open_connection open) {
  try {
    if (!open && dismissals_ >= dismissals_max)
      co_return;
    session s{server_context_, io_, std::move(socket)};
    sessions_.push_back(s);
    if (open) {
      // Serve the connection until it ends.
      co_await s.run();
    } else {
      const count_up one_more{dismissals_};
      // Give the client time to read the 503.
      co_await s.dismiss();
    }
  } catch (const std::exception& e) {
    log_line(log_level::error, "connection failed", {{"what", e.what()}});
  }
}

task<void> io_thread::look_for_late_ones() {
  timer clock{io_};
  const auto usual = look_period(server_context_.state.settings);
  for (;;) {
    error_code ec;
    clock.expires_after(is_draining_ ? std::min(usual, draining_period) : usual);
    // Check the timeouts of all connections together.
    co_await clock.async_wait(into(ec));
    const auto now = session::clock::now();
    for (auto& s : sessions_)
      s.expire(now);
  }
}

void io_thread::take_waiting() {
  error_code ec;
  acceptor_.non_blocking(true, ec);
  while (!ec) {
    tcp_socket socket{io_};
    acceptor_.accept(socket, ec);
    if (!ec)
      welcome(std::move(socket));
  }
}

void io_thread::drain() {
  std::promise<void> done;
  asio::post(io_, [this, &done] {
    is_draining_ = true;
    take_waiting();
    error_code ec;
    acceptor_.close(ec);
    for (auto& s : sessions_)
      s.hurry_if_idle(idle_grace);
    done.set_value();
  });
  done.get_future().wait();
}

void io_thread::abort() {
  asio::post(io_, [this] {
    for (auto& s : sessions_)
      s.abort();
  });
}

void io_thread::join() {
  io_.stop();
  if (thread_.joinable())
    thread_.join();
}

}  // namespace callboard::http
