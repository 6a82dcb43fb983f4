#pragma once

#include "http/transport/metrics.hpp"
#include "messages/origin.hpp"
#include "messages/outcome.hpp"
#include "messages/principal.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callboard::http {

/// All coroutines of a connection run on one io_context; its executor type is measurably cheaper than any_io_executor.
using executor = boost::asio::io_context::executor_type;
template <class T>
using task = boost::asio::awaitable<T, executor>;

class service;

/// Whether the client of a waiting request is still connected. Used by its io thread only.
struct presence {
  bool is_gone = false;
  std::function<void()> when_gone{};
};

/// One request as a route gets it: head, route, access and media type have been checked.
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
  std::shared_ptr<const principal> who;
  std::shared_ptr<const origin> by;
  std::chrono::steady_clock::time_point arrived;
  std::chrono::steady_clock::time_point deadline;
  request_metrics::permit* permit = nullptr;  ///< a request that waits for work releases it meanwhile
  std::shared_ptr<presence> client{};         ///< of routes that wait

  /// Case-insensitive; empty when absent.
  std::string_view header(std::string_view name) const;
  std::optional<std::string_view> query_value(std::string_view name) const;
};

/// A body that is made while it is sent. Each part is asked for when the one before it has been written, so a slow
/// client slows its source down.
struct stream_source {
  virtual ~stream_source() = default;
  /// The next bytes, or nothing at the end. What it throws cuts the connection: the client sees an incomplete body.
  virtual task<std::optional<std::string>> next() = 0;
};

struct response {
  int status = 200;
  std::string body;  ///< JSON unless a Content-Type is among the headers; empty with 204, 304
  std::vector<std::pair<std::string, std::string>> headers{};
  std::function<void()> undelivered{};      ///< called when the client was gone before it had the answer
  std::shared_ptr<stream_source> stream{};  ///< stands for `body`; sent without a Content-Length
};

/// Thrown anywhere inside a route to answer with a refusal.
struct refused {
  refusal why;
};

}  // namespace callboard::http
