#pragma once

#include "base/hex.hpp"
#include "base/sql.hpp"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

/// PostgreSQL arrays as text: `{1,2}`, `{"a\"b",NULL}`, `{"\\x00ff"}`.
namespace callboard::persistence {

inline void append_item(std::string& out, std::int64_t x) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
}

inline void append_item(std::string& out, bool x) { out += x ? 't' : 'f'; }

/// Always quoted, so that an empty text, `NULL`, commas and braces are taken literally.
inline void append_item(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '"' || text[i] == '\\') {
      out.append(text, plain, i - plain);
      out += '\\';
      plain = i;
    }
  out.append(text, plain);
  out += '"';
}

inline void append_bytes_item(std::string& out, std::string_view data) {
  out += "\"\\\\x";
  append_hex(out, data);
  out += '"';
}

inline void append_null_item(std::string& out) { out += "NULL"; }

inline void append_item(std::string& out, const sql_value& x) {
  switch (x.index()) {
  case 0:
    return append_null_item(out);
  case 1:
    return append_item(out, std::get<1>(x));
  case 2:
    return append_item(out, std::get<2>(x));
  case 3:
    return append_item(out, std::string_view{std::get<3>(x)});
  default:
    return append_bytes_item(out, std::get<4>(x).data);
  }
}

/// `put` appends one item.
template <class Items, class Put>
void append_array(std::string& out, const Items& items, Put&& put) {
  out += '{';
  bool first = true;
  for (const auto& item : items) {
    if (!first)
      out += ',';
    first = false;
    put(item);
  }
  out += '}';
}

}  // namespace callboard::persistence
