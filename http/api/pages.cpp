#include "http/api/pages.hpp"

#include "base/hex.hpp"
#include "http/api/bodies.hpp"
#include "http/transport/percent.hpp"

#include <charconv>

namespace callboard::http {
namespace {

constexpr std::size_t digits_per_number = 16;
constexpr std::int64_t limit_max = 1'000;

std::optional<std::int64_t> number(std::string_view text, int base) {
  std::int64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, base);
  return read.ec == std::errc{} && read.ptr == end && value >= 0 ? std::optional{value} : std::nullopt;
}

cursor cursor_in(std::string_view text, std::size_t numbers) {
  cursor out;
  if (text.size() == numbers * digits_per_number)
    for (std::size_t i = 0; i < numbers; ++i)
      if (const auto n = number(text.substr(i * digits_per_number, digits_per_number), 16))
        out.push_back(*n);
  if (out.size() != numbers)
    invalid("cursor", "must be a cursor of this list");
  return out;
}

std::optional<std::int64_t> limit_of(const request_context& x) {
  const auto text = x.query_value("limit");
  if (!text)
    return std::nullopt;
  const auto limit = number(*text, 10);
  if (!limit || *limit < 1 || *limit > limit_max)
    invalid("limit", "must be from 1 to " + std::to_string(limit_max));
  return limit;
}

/// Texts hold no NUL, so it stands between them.
text_cursor texts_in(std::string_view hex, std::size_t texts) {
  text_cursor out;
  if (hex.size() % 2 == 0 && hex.find_first_not_of("0123456789abcdef") == std::string_view::npos) {
    const auto all = persistence::from_hex(hex);
    for (std::size_t at = 0; is_utf8(all) && at <= all.size();) {
      const auto end = std::min(all.find('\0', at), all.size());
      out.push_back(all.substr(at, end - at));
      at = end + 1;
    }
  }
  if (out.size() != texts)
    invalid("cursor", "must be a cursor of this list");
  return out;
}

/// What may not stand inside <…> of a Link.
void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '<')
      out += "%3C";
    else if (c == '>')
      out += "%3E";
    else if (c == '"')
      out += "%22";
    else
      out += c;
  }
}

}  // namespace

page page_of(const request_context& x, std::size_t numbers) {
  page out{limit_of(x), cursor(numbers, 0)};
  if (const auto text = x.query_value("cursor"))
    out.after = cursor_in(*text, numbers);
  return out;
}

text_page text_page_of(const request_context& x, std::size_t texts) {
  text_page out{limit_of(x), text_cursor(texts)};
  if (const auto text = x.query_value("cursor"))
    out.after = texts_in(*text, texts);
  return out;
}

std::string cursor_text(const text_cursor& p) {
  std::string all;
  for (const auto& text : p)
    (all += &text == p.data() ? "" : std::string(1, '\0')) += text;
  return persistence::to_hex(all);
}

std::string cursor_text(const cursor& p) {
  std::string out;
  for (const auto n : p) {
    char buffer[digits_per_number];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, n, 16).ptr;
    const auto size = static_cast<std::size_t>(end - buffer);
    out.append(digits_per_number - size, '0').append(buffer, size);
  }
  return out;
}

void write_cut_off(std::string& out, const cursor& next) {
  out += R"(,"truncated":true,"next_cursor":")";
  out += cursor_text(next);
  out += '"';
}

namespace {

void link_to(const request_context& x, response& r, const std::string& next) {
  std::string link = "<";
  append_escaped(link, x.path);
  link += '?';
  for (auto rest = x.query_text; !rest.empty();) {
    const auto part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (part.empty() || part == "cursor" || part.starts_with("cursor="))
      continue;
    append_escaped(link, part);
    link += '&';
  }
  link += "cursor=" + next + ">; rel=\"next\"";
  r.headers.emplace_back("Link", std::move(link));
}

}  // namespace

void link_next(const request_context& x, response& r, const cursor& next) { link_to(x, r, cursor_text(next)); }
void link_next(const request_context& x, response& r, const text_cursor& next) { link_to(x, r, cursor_text(next)); }

response to_response(const request_context& x, array a) {
  response r{200, std::move(a.text)};
  if (a.next)
    link_next(x, r, *a.next);
  return r;
}

}  // namespace callboard::http
