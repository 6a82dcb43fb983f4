#include "base/json_read.hpp"

#include <algorithm>

namespace callboard {

std::string_view trimmed(std::string_view s) {
  constexpr std::string_view blanks = " \t\r\n\f\v";
  const auto from = s.find_first_not_of(blanks);
  return from == std::string_view::npos ? std::string_view{} : s.substr(from, s.find_last_not_of(blanks) - from + 1);
}

std::size_t code_points(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool has_controls(std::string_view utf8) {
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto u = static_cast<unsigned char>(utf8[i]);
    const auto next = i + 1 < utf8.size() ? static_cast<unsigned char>(utf8[i + 1]) : 0;
    if (u < 0x20 || u == 0x7F || (u == 0xC2 && next >= 0x80 && next <= 0x9F))
      return true;
  }
  return false;
}

std::string json_problems::checked(std::string_view s, const printable& rule) {
  s = trimmed(s);
  if (has_controls(s))
    complain("must hold no control characters");
  return checked(s, text{rule.min, rule.max});
}

std::string json_problems::checked(std::string_view s, const slug&) {
  s = trimmed(s);
  if (!is_slug(s))
    complain("must be 1 to 63 small letters, digits, _ or -, and begin with a letter or digit");
  return std::string{s};
}

std::string json_problems::checked(std::string_view s, const text& rule) {
  s = trimmed(s);
  const auto size = code_points(s);
  if (size < rule.min || size > rule.max)
    complain(rule.min == 0
                 ? "must have at most " + std::to_string(rule.max) + " characters"
                 : "must have " + std::to_string(rule.min) + " to " + std::to_string(rule.max) + " characters");
  return std::string{s};
}

std::string json_problems::checked(std::string_view s, const email_address&) {
  std::string address{trimmed(s)};
  for (auto& c : address)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  const auto at = address.find('@');
  const auto domain = at == std::string::npos ? std::string_view{} : std::string_view{address}.substr(at + 1);
  // Spaces and controls, those of Latin-1 (U+0080 to U+009F) and the no-break space too.
  bool odd = false;
  for (std::size_t i = 0; i < address.size(); ++i) {
    const auto u = static_cast<unsigned char>(address[i]);
    const auto next = i + 1 < address.size() ? static_cast<unsigned char>(address[i + 1]) : 0;
    odd = odd || u <= 0x20 || u == 0x7F || (u == 0xC2 && next >= 0x80 && next <= 0xA0);
  }
  const auto dot = domain.find('.');
  if (odd || code_points(address) > 254 || at == std::string::npos || at == 0 ||
      code_points(std::string_view{address}.substr(0, at)) > 64 || domain.find('@') != std::string_view::npos ||
      dot == std::string_view::npos || domain.front() == '.' || domain.back() == '.')
    complain("must be an e-mail address");
  return address;
}

}  // namespace callboard
