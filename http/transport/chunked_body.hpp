#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace callboard::http {

/// Joins the chunks of a body as they arrive. Chunk extensions and trailers are refused, because
/// proxies disagree about where they end and no client needs them.
class chunked_body {
public:
  explicit chunked_body(std::uint64_t bytes_max);

  enum class state : std::uint8_t { incomplete, complete, too_large, malformed };

  /// Consumes what it can from the front of `raw`. The rest must be passed again with more bytes
  /// appended or, when the body is complete, belongs to the next request.
  state take(std::string_view& raw);

  std::size_t size() const { return parser_.get().body().size(); }
  std::string release() { return std::move(parser_.get().body()); }

private:
  boost::beast::http::request_parser<boost::beast::http::string_body> parser_;
};

}  // namespace callboard::http
