#pragma once

#include "http/transport/session.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <thread>
#include <utility>

namespace callboard::http {

using tcp_acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, executor>;

/// Counts a connection while it is open.
class open_connection {
public:
  open_connection(request_metrics& metrics, int connections_max)
      : of_{metrics.open_connection(connections_max) ? &metrics : nullptr} {}
  open_connection(open_connection&& other) noexcept : of_{std::exchange(other.of_, nullptr)} {}
  ~open_connection() {
    if (of_)
      of_->close_connection();
  }
  /// False when the connection is above the limit.
  explicit operator bool() const { return of_ != nullptr; }

private:
  request_metrics* of_;
};

/// One thread with its own io_context, listening socket and connections; threads share only counters.
class io_thread {
public:
  explicit io_thread(const server_context& e);

  /// For the server, which opens it; used by this thread only once started.
  tcp_acceptor& acceptor() { return acceptor_; }

  void start();
  /// From another thread. Connections in the accept queue are still accepted; idle ones soon close.
  void drain();
  /// From any thread. Closes all connections.
  void abort();
  /// Ends the thread. Coroutines that wait for an actor are left suspended.
  void join();

private:
  using timer = boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                                  boost::asio::wait_traits<std::chrono::steady_clock>, executor>;

  task<void> accept_connections();
  task<void> look_for_late_ones();
  task<void> serve(tcp_socket socket, open_connection open);
  void welcome(tcp_socket socket);
  void take_waiting();

  const server_context& server_context_;
  boost::intrusive::list<session, boost::intrusive::constant_time_size<false>> sessions_;
  int dismissals_ = 0;
  bool is_draining_ = false;
  // Declared last to be destroyed first: it destroys the coroutines, which still use the list of sessions.
  boost::asio::io_context io_{1};
  tcp_acceptor acceptor_;
  std::thread thread_;
};

}  // namespace callboard::http
