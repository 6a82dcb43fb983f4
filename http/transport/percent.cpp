#include "http/transport/percent.hpp"

#include <algorithm>
#include <cstdint>

namespace callboard::http {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  const char l = static_cast<char>(c | 0x20);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

bool decode(std::string_view text, std::string& out, bool plus_is_blank) {
  out.clear();
  if (text.find_first_of(plus_is_blank ? "%+" : "%") == std::string_view::npos) {
    out = text;  // a checked target is plain ASCII
    return true;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size())
        return false;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0 || high + low == 0)
        return false;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return is_utf8(out);
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || text.size() - i <= more)
      return false;
    std::uint32_t point = lead & (0x3fu >> more);
    for (std::size_t k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80)
        return false;
      point = point << 6 | (next & 0x3fu);
    }
    // Refuse overlong forms, surrogates and code points beyond Unicode.
    if ((more == 2 && point < 0x800) || (more == 3 && point < 0x10000) || point > 0x10ffff ||
        (point >= 0xd800 && point <= 0xdfff))
      return false;
    i += more + 1;
  }
  return true;
}

bool decode_segment(std::string_view text, std::string& out) { return decode(text, out, false); }

bool decode_query(std::string_view text, std::vector<std::pair<std::string, std::string>>& out) {
  out.clear();
  while (!text.empty()) {
    const auto end = std::min(text.find('&'), text.size());
    const auto pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty())
      continue;
    const auto equals = std::min(pair.find('='), pair.size());
    auto& [name, value] = out.emplace_back();
    if (!decode(pair.substr(0, equals), name, true) ||
        !decode(pair.substr(std::min(equals + 1, pair.size())), value, true))
      return false;
  }
  return true;
}

}  // namespace callboard::http
