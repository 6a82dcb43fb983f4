#pragma once

#include <charconv>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

/// As much of HTTP/1.1 as a load generator needs.
namespace bench {

inline std::string http_request(std::string_view method, std::string_view path, std::string_view body = {}) {
  std::string out;
  out.reserve(path.size() + body.size() + 128);
  out.append(method).append(" ").append(path).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  if (!body.empty())
    out.append("Content-Type: application/json\r\nContent-Length: ").append(std::to_string(body.size())).append("\r\n");
  return out.append("\r\n").append(body);
}

struct http_reply {
  int status = 0;
  std::size_t size = 0;  ///< bytes it takes in the buffer
  std::string_view body;
  bool closes = false;
};

namespace detail {

inline bool starts_with_word(std::string_view line, std::string_view lower) {
  if (line.size() < lower.size())
    return false;
  for (std::size_t i = 0; i < lower.size(); ++i)
    if ((line[i] | 0x20) != (lower[i] | 0x20))
      return false;
  return true;
}

/// Joins the chunks into `whole`; the end of the last one, or nothing while it has not come.
inline std::optional<std::size_t> join_chunks(std::string_view in, std::size_t at, std::string& whole) {
  whole.clear();
  while (true) {
    const auto line_end = in.find("\r\n", at);
    if (line_end == std::string_view::npos)
      return std::nullopt;
    std::size_t size = 0;
    if (std::from_chars(in.data() + at, in.data() + line_end, size, 16).ec != std::errc{})
      throw std::runtime_error("a chunk without a size");
    at = line_end + 2;
    if (in.size() < at + size + 2)
      return std::nullopt;
    if (size == 0)
      return at + 2;
    whole.append(in.substr(at, size));
    at += size + 2;
  }
}

}  // namespace detail

/// The answer at the front of the buffer, or nothing while it is not whole. Throws when it is no
/// HTTP.
inline std::optional<http_reply> parse_reply(std::string_view in, std::string& chunks) {
  const auto head_end = in.find("\r\n\r\n");
  if (head_end == std::string_view::npos)
    return std::nullopt;
  if (head_end < 12 || !in.starts_with("HTTP/1."))
    throw std::runtime_error("no HTTP/1.1 answer");
  http_reply out;
  std::from_chars(in.data() + 9, in.data() + 12, out.status);
  std::size_t length = 0;
  bool chunked = false;
  for (auto at = in.find("\r\n") + 2; at < head_end + 2;) {
    const auto end = in.find("\r\n", at);
    const auto line = in.substr(at, end - at);
    if (detail::starts_with_word(line, "content-length:")) {
      const auto digits = line.find_first_of("0123456789");
      if (digits != std::string_view::npos)
        std::from_chars(line.data() + digits, line.data() + line.size(), length);
    } else if (detail::starts_with_word(line, "transfer-encoding: chunked")) {
      chunked = true;
    } else if (detail::starts_with_word(line, "connection: close")) {
      out.closes = true;
    }
    at = end + 2;
  }
  const auto begin = head_end + 4;
  if (chunked) {
    const auto end = detail::join_chunks(in, begin, chunks);
    if (!end)
      return std::nullopt;
    out.body = chunks;
    out.size = *end;
    return out;
  }
  if (in.size() < begin + length)
    return std::nullopt;
  out.body = in.substr(begin, length);
  out.size = begin + length;
  return out;
}

}  // namespace bench
