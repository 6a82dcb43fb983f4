#pragma once

#include "http/transport/metrics.hpp"
#include "messages/origin.hpp"
#include "messages/outcome.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callboard::http {

/// All coroutines of a connection run on one io_context; the plain executor type is measurably cheaper than
/// any_io_executor.
using executor = boost::asio::io_context::executor_type;
template <class T>
using task = boost::asio::awaitable<T, executor>;

class service;

/// Whether the client of a route that lets it wait is still there. Only its io thread looks.
struct presence {
  bool is_gone = false;
  std::function<void()> when_gone{};
};

/// One request with everything a route may want to know, checked: head, route, access and media type are settled.
struct request_context {
  service& app;
  boost::asio::io_context& io;
  std::string_view method;                                 ///< HEAD arrives as GET
  std::string_view path;                                   ///< as sent, without the query
  std::string_view query_text;                             ///< as sent, without '?'
  std::vector<std::string> parameters;                     ///< the path's variable segments, decoded once, in order
  std::vector<std::pair<std::string, std::string>> query;  ///< decoded
  std::vector<std::pair<std::string_view, std::string_view>> headers;  ///< names as sent
  std::string body;
  std::string request_id;
  std::shared_ptr<const origin> by;
  std::chrono::steady_clock::time_point arrived;
  std::chrono::steady_clock::time_point deadline;
  request_metrics::permit* permit = nullptr;  ///< given back by who waits for something to happen
  std::shared_ptr<presence> client{};         ///< of routes that wait

  /// Case-insensitive; empty when absent.
  std::string_view header(std::string_view name) const;
  std::optional<std::string_view> query_value(std::string_view name) const;
};

struct response {
  int status = 200;
  std::string body;  ///< JSON unless a Content-Type is among the headers; empty with 204, 304
  std::vector<std::pair<std::string, std::string>> headers{};
  std::function<void()> undelivered{};  ///< called when the client was gone before it had the answer
};

/// Ends a request with a refusal from anywhere inside a route.
struct refused {
  refusal why;
};

/// A row of the route table.
struct route {
  std::string_view method;
  std::string_view pattern;  ///< "/api/jobs/:jobId"; a segment that begins with ':' is variable
  task<response> (*handle)(request_context&);
  bool is_bulk = false;                            ///< 16 MiB and any number of values
  bool waits = false;                              ///< may take long: then its client is watched
  std::string_view produces = "application/json";  ///< an Accept that excludes it, and JSON, is a 406
};

}  // namespace callboard::http
