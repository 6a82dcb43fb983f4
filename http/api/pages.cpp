#include "http/api/pages.hpp"

#include "base/hex.hpp"
#include "http/api/bodies.hpp"
#include "http/transport/percent.hpp"

#include <charconv>

namespace callboard::http {
namespace {

constexpr std::size_t digits_per_number = 16;

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, 16);
  return read.ec == std::errc{} && read.ptr == end && value >= 0 ? std::optional{value} : std::nullopt;
}

}  // namespace

cursor cursor_in(const std::optional<std::string>& text, std::size_t numbers) {
  if (!text)
    return cursor(numbers, 0);
  cursor out;
  if (text->size() == numbers * digits_per_number)
    for (std::size_t i = 0; i < numbers; ++i)
      if (const auto n = number(std::string_view{*text}.substr(i * digits_per_number, digits_per_number)))
        out.push_back(*n);
  if (out.size() != numbers)
    invalid("cursor", "must be a cursor of this list");
  return out;
}

text_cursor text_cursor_in(const std::optional<std::string>& text, std::size_t texts) {
  if (!text)
    return text_cursor(texts);
  text_cursor out;
  // Texts hold no NUL, so it stands between them.
  if (text->size() % 2 == 0 && text->find_first_not_of("0123456789abcdef") == std::string::npos) {
    const auto all = persistence::from_hex(*text);
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

namespace {

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
