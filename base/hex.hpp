#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace callboard::persistence {

inline void append_hex(std::string& out, std::string_view data) {
  static constexpr char digits[] = "0123456789abcdef";
  const auto at = out.size();
  out.resize(at + data.size() * 2);
  char* to = out.data() + at;
  for (const char c : data) {
    const auto byte = static_cast<unsigned char>(c);
    *to++ = digits[byte >> 4];
    *to++ = digits[byte & 15];
  }
}

inline std::string to_hex(std::string_view data) {
  std::string out;
  append_hex(out, data);
  return out;
}

/// The bytes again; what is no (small) digit counts as 0.
inline std::string from_hex(std::string_view digits) {
  const auto value = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0; };
  std::string out(digits.size() / 2, '\0');
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<char>(value(digits[2 * i]) << 4 | value(digits[2 * i + 1]));
  return out;
}

}  // namespace callboard::persistence
