#include "http/transport/head_check.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace callboard::http {

namespace {

using fault = std::optional<head_fault>;

fault bad(std::string_view reason) { return head_fault{code::validation_error, reason}; }

constexpr bool is_alphanumeric(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr std::array<bool, 256> bytes_where(bool (*holds)(unsigned char)) {
  std::array<bool, 256> out{};
  for (std::size_t c = 0; c < out.size(); ++c)
    out[c] = holds(static_cast<unsigned char>(c));
  return out;
}

constexpr auto token_bytes = bytes_where([](unsigned char c) {
  return is_alphanumeric(c) ||
         (c != 0 && std::string_view{"!#$%&'*+-.^_`|~"}.find(static_cast<char>(c)) != std::string_view::npos);
});
// '#' would begin a fragment, which clients never send.
constexpr auto target_bytes = bytes_where([](unsigned char c) { return c > 0x20 && c < 0x7f && c != '#'; });
constexpr auto value_bytes = bytes_where([](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); });
constexpr auto host_bytes = bytes_where(
    [](unsigned char c) { return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~' || c == '%'; });

bool consists_of(std::string_view text, const std::array<bool, 256>& allowed) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return allowed[static_cast<unsigned char>(c)]; });
}

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_host(std::string_view value) {
  std::string_view port;
  if (value.starts_with('[')) {
    const auto close = value.find(']');
    if (close == std::string_view::npos || close < 3)
      return false;
    const auto inside = value.substr(1, close - 1);
    if (inside.find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos)
      return false;
    port = value.substr(close + 1);
    if (!port.empty() && port[0] != ':')
      return false;
  } else {
    const auto colon = std::min(value.find(':'), value.size());
    if (colon == 0 || !consists_of(value.substr(0, colon), host_bytes))
      return false;
    port = value.substr(colon);
  }
  return port.size() <= 6 && is_digits(port.substr(std::min<std::size_t>(1, port.size())));
}

fault check_request_line(std::string_view line, request_head& into) {
  const auto method_end = line.find(' ');
  if (method_end == std::string_view::npos)
    return bad("malformed request line");
  into.method = line.substr(0, method_end);
  if (into.method.empty() || into.method.size() > 32 || !consists_of(into.method, token_bytes))
    return bad("malformed method");
  const auto rest = line.substr(method_end + 1);
  const auto target_end = rest.find(' ');
  if (target_end == std::string_view::npos)
    return bad("malformed request line");
  into.target = rest.substr(0, target_end);
  if (!into.target.starts_with('/'))
    return bad("the request target must be a path");
  if (!consists_of(into.target, target_bytes))
    return bad("the request target has characters that must be percent-encoded");
  const auto version = rest.substr(target_end + 1);
  into.is_http_1_0 = version == "HTTP/1.0";
  if (!into.is_http_1_0 && version != "HTTP/1.1")
    return bad("only HTTP/1.1 and HTTP/1.0 are spoken here");
  return std::nullopt;
}

/// Collects what the fields say about framing.
struct framing {
  int hosts = 0;
  int lengths = 0;
  int codings = 0;
  bool says_close = false;
  bool says_keep_alive = false;

  fault content_length(std::string_view value, request_head& into) {
    // 18 digits cannot overflow, and no body is that long.
    if (++lengths > 1 || value.empty() || value.size() > 18 || !is_digits(value))
      return bad("Content-Length must be given once, as digits");
    std::from_chars(value.data(), value.data() + value.size(), into.content_length);
    return std::nullopt;
  }
  fault transfer_encoding(std::string_view value, request_head& into) {
    if (++codings > 1 || !equal_ignoring_case(value, "chunked"))
      return bad("the only Transfer-Encoding is chunked, given once");
    into.is_chunked = true;
    return std::nullopt;
  }
  fault host(std::string_view value) {
    if (++hosts > 1 || !is_host(value))
      return bad("Host must be given once, as a host and an optional port");
    return std::nullopt;
  }
  fault expect(std::string_view value, request_head& into) {
    if (!equal_ignoring_case(value, "100-continue"))
      return head_fault{code::expectation_failed, "the only expectation that is met is 100-continue"};
    into.awaits_continue = true;
    return std::nullopt;
  }
  fault connection(std::string_view value) {
    while (true) {
      const auto comma = value.find(',');
      const auto option = without_blanks(value.substr(0, comma));
      says_close |= equal_ignoring_case(option, "close");
      says_keep_alive |= equal_ignoring_case(option, "keep-alive");
      if (comma == std::string_view::npos)
        return std::nullopt;
      value.remove_prefix(comma + 1);
    }
  }

  fault take(std::string_view field, std::string_view value, request_head& into) {
    // Compare the length first: it rules out most fields.
    switch (field.size()) {
    case 4:
      return equal_ignoring_case(field, "host") ? host(value) : std::nullopt;
    case 6:
      return equal_ignoring_case(field, "expect") ? expect(value, into) : std::nullopt;
    case 10:
      return equal_ignoring_case(field, "connection") ? connection(value) : std::nullopt;
    case 14:
      return equal_ignoring_case(field, "content-length") ? content_length(value, into) : std::nullopt;
    case 17:
      return equal_ignoring_case(field, "transfer-encoding") ? transfer_encoding(value, into) : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  fault finish(request_head& into) const {
    if (codings > 0 && lengths > 0)
      return bad("Transfer-Encoding and Content-Length exclude each other");
    if (codings > 0 && into.is_http_1_0)
      return bad("HTTP/1.0 has no Transfer-Encoding");
    if (hosts == 0 && !into.is_http_1_0)
      return bad("Host is required");
    if (into.has_body() && (into.method == "GET" || into.method == "HEAD"))
      return bad("GET and HEAD have no body");
    into.keep_alive = !says_close && (!into.is_http_1_0 || says_keep_alive);
    into.awaits_continue = into.awaits_continue && into.has_body() && !into.is_http_1_0;
    return std::nullopt;
  }
};

fault check_field_line(std::string_view line, framing& so_far, request_head& into) {
  if (line[0] == ' ' || line[0] == '\t')
    return bad("folded header line");
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0)
    return bad("header line without a name");
  const auto field = line.substr(0, colon);
  if (!consists_of(field, token_bytes))
    return bad("malformed header name");
  const auto value = line.substr(colon + 1);
  if (!consists_of(value, value_bytes))
    return bad("control character in a header");
  if (into.fields.size() == head_fields_max)
    return head_fault{code::headers_too_large, "too many headers"};
  const auto trimmed = without_blanks(value);
  into.fields.emplace_back(field, trimmed);
  return so_far.take(field, trimmed, into);
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

head_scanner::found head_scanner::fail(code what, std::string_view reason) {
  fault_ = {what, reason};
  return found::faulty;
}

head_scanner::found head_scanner::look(std::string_view bytes) {
  while (seen_ < bytes.size()) {
    const auto* at = static_cast<const char*>(std::memchr(bytes.data() + seen_, '\n', bytes.size() - seen_));
    seen_ = at ? static_cast<std::size_t>(at - bytes.data()) + 1 : bytes.size();
    if (seen_ - line_ > head_line_bytes_max)
      return fail(code::headers_too_large, "a line of the head is too long");
    if (seen_ > head_bytes_max)
      return fail(code::headers_too_large, "the head is too long");
    if (!at)
      break;
    if (seen_ - line_ < 2 || bytes[seen_ - 2] != '\r')
      return fail(code::validation_error, "line feed without carriage return");
    const bool is_empty = seen_ - line_ == 2;
    line_ = seen_;
    if (is_empty)
      return lines_ > 0 ? found::complete : fail(code::validation_error, "empty request line");
    if (++lines_ > head_fields_max + 1)
      return fail(code::headers_too_large, "too many headers");
  }
  return found::incomplete;
}

std::optional<head_fault> check_head(std::string_view bytes, request_head& into) {
  auto fields = std::move(into.fields);
  fields.clear();
  into = {};
  into.fields = std::move(fields);

  // Only CR LF ends a line; either alone is refused as a control character.
  const auto first_end = bytes.find("\r\n");
  if (first_end == std::string_view::npos)
    return bad("malformed request line");
  if (const auto no = check_request_line(bytes.substr(0, first_end), into))
    return no;
  framing so_far;
  for (auto at = first_end + 2;;) {
    const auto end = bytes.find("\r\n", at);
    if (end == std::string_view::npos)
      return bad("unfinished head");
    if (end == at)
      return so_far.finish(into);
    if (const auto no = check_field_line(bytes.substr(at, end - at), so_far, into))
      return no;
    at = end + 2;
  }
}

}  // namespace callboard::http
