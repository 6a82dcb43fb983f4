#include "http/transport/chunked_body.hpp"

#include <iterator>

namespace callboard::http {

namespace {

namespace beast = boost::beast::http;

// The real head was checked before; this one only tells the parser that chunks follow.
constexpr std::string_view head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";

// The longest size line of a chunk, leading zeros included.
constexpr std::size_t unfinished_bytes_max = 64;

void refuse_extensions(std::uint64_t, boost::core::string_view extensions, boost::system::error_code& ec) {
  if (!extensions.empty())
    ec = beast::error::bad_chunk_extension;
}

}  // namespace

chunked_body::chunked_body(std::uint64_t bytes_max) {
  parser_.body_limit(bytes_max);
  parser_.eager(true);
  parser_.on_chunk_header(refuse_extensions);
  boost::system::error_code ec;
  parser_.put(boost::asio::buffer(head), ec);
}

chunked_body::state chunked_body::take(std::string_view& raw) {
  boost::system::error_code ec;
  const auto used = raw.empty() ? 0 : parser_.put(boost::asio::buffer(raw), ec);
  raw.remove_prefix(used);
  if (ec == beast::error::body_limit)
    return state::too_large;
  if (ec && ec != beast::error::need_more)
    return state::malformed;
  if (parser_.is_done()) {
    const auto& fields = parser_.get();
    const bool has_trailers = std::distance(fields.begin(), fields.end()) > 1;
    return has_trailers ? state::malformed : state::complete;
  }
  return raw.size() > unfinished_bytes_max ? state::malformed : state::incomplete;
}

}  // namespace callboard::http
