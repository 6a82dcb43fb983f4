#include "http/api/queries.hpp"

#include <charconv>

namespace callboard::http::detail {

void read_parameter(std::string_view name, std::string_view text, const integer_range& rule, std::int64_t& into) {
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, into);
  if (read.ec != std::errc{} || read.ptr != end || into < rule.min || into > rule.max)
    invalid(std::string{name}, "must be from " + std::to_string(rule.min) + " to " + std::to_string(rule.max));
}

void read_parameter(std::string_view name, std::string_view text, const anything&, instant& into) {
  // The '+' of an offset that was not escaped arrives as a blank.
  constexpr std::size_t offset_size = 6;
  std::string written{text};
  if (written.size() > offset_size && written[written.size() - offset_size] == ' ')
    written[written.size() - offset_size] = '+';
  const auto t = from_rfc3339(written);
  if (!t)
    invalid(std::string{name}, "must be an RFC 3339 time");
  into = *t;
}

void read_parameter(std::string_view name, std::string_view text, const slug&, std::string& into) {
  if (!is_slug(text))
    invalid(std::string{name}, "must be the id of a board");
  into = text;
}

}  // namespace callboard::http::detail
