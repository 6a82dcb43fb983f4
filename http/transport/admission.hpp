#pragma once

#include "http/transport/access.hpp"
#include "http/transport/head_check.hpp"
#include "http/transport/metrics.hpp"
#include "http/transport/request_context.hpp"
#include "http/transport/route_table.hpp"
#include "http/transport/server_state.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::http {

/// What admission and routes need of the server.
struct server_context {
  server_context(server_state& s, service& a, std::span<const route> r)
      : state{s}, app{a}, routes{r}, access{s.settings} {}

  server_state& state;
  service& app;  ///< only passed on to the routes
  const route_table routes;
  const access_rules access;
};

/// Checks a request before its route runs, in the order that callers may rely on: head, route,
/// access, media types, size, permits; and after the body, the query. One object is reused for all
/// requests of a connection.
class admission {
public:
  using clock = std::chrono::steady_clock;

  admission(const server_context& e, boost::asio::io_context& io, const boost::asio::ip::address& peer);

  /// Begins a new request; `bytes` must not move until the next one.
  std::optional<refusal> read_head(std::string_view bytes, clock::time_point now);
  /// Begins a request whose head was refused while it was read.
  void without_head(clock::time_point now);

  /// All checks before the body is read.
  std::optional<refusal> admit();
  /// All checks between the body and the route.
  std::optional<refusal> settle();
  /// The answer to OPTIONS, which has no route of its own.
  response options() const;
  /// Releases the request's permit and memory.
  void release();

  request_head head;
  request_context x;
  const route* to = nullptr;
  request_metrics::permit permit;
  std::uint64_t body_bytes_max = 0;
  std::string allow;             ///< methods of the path, for 405 and OPTIONS
  std::string_view shared_with;  ///< Origin whose pages may read the answer
  clock::time_point began;
  bool is_head = false;
  bool wants_problem_json = false;

private:
  std::optional<refusal> find_route();
  std::optional<refusal> check_media();
  std::optional<refusal> take_permit();
  bool is_acceptable(std::string_view type) const;

  const server_context& server_context_;
  const boost::asio::ip::address& peer_;
  std::vector<std::string> segments_;
};

}  // namespace callboard::http
