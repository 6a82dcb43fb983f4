#pragma once

#include "http/transport/io_thread.hpp"
#include "http/transport/request_context.hpp"
#include "http/transport/server_state.hpp"

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <vector>

namespace callboard::http {

/// Another process listens at the address.
class address_in_use : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Serves the routes from its construction on. It must be destroyed after the node, because answers of
/// actors may still be delivered to its io_contexts after it has stopped.
class server {
public:
  /// Throws address_in_use, or boost::system::system_error for any other failure to listen.
  server(server_state& state, service& app, std::span<const route> table);
  template <class Service>
  server(Service& app, std::span<const route> table) : server{app, app, table} {}
  ~server();
  server(const server&) = delete;

  std::uint16_t port() const { return port_; }

  /// Accepts no new connections, waits at most http.drain_timeout_ms for requests in flight, then
  /// closes the rest. The node must still run. Calling it again does nothing.
  void stop();
  /// From any thread: ends the waiting of a stop that is under way.
  void hurry();

private:
  void listen();
  void wait_until_empty(std::chrono::milliseconds at_most);

  server_state& state_;
  server_context server_context_;
  std::uint16_t port_ = 0;
  std::vector<std::unique_ptr<io_thread>> threads_;
  bool is_stopped_ = false;
  bool hurries_ = false;
  std::mutex mutex_;
  std::condition_variable hurried_;
};

}  // namespace callboard::http
