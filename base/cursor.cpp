#include "base/cursor.hpp"

#include <charconv>

namespace callboard {

std::string cursor_text(const cursor& c) {
  std::string out;
  for (const auto n : c) {
    char buffer[cursor_digits];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, n, 16).ptr;
    const auto size = static_cast<std::size_t>(end - buffer);
    out.append(cursor_digits - size, '0').append(buffer, size);
  }
  return out;
}

}  // namespace callboard
