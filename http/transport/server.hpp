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

/// Somebody else listens at the address.
class address_in_use : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Serves the routes from its construction on. It must be destroyed after the node: answers of actors
/// may still be on their way to its io_contexts when it has stopped.
class server {
public:
  /// Throws address_in_use, or boost::system::system_error for an address that can not be had.
  server(server_state& state, service& app, std::span<const route> table);
  template <class Service>
  server(Service& app, std::span<const route> table) : server{app, app, table} {}
  ~server();
  server(const server&) = delete;

  std::uint16_t port() const { return port_; }

  /// Takes no new connections, lets requests in flight end within http.drain_timeout_ms, then cuts
  /// what is left. The node has to be alive. Calling it again does nothing.
  void stop();
  /// From any thread: a stop that is under way waits no longer.
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
