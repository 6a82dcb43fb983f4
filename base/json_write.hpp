#pragma once

#include "base/described.hpp"
#include "base/id.hpp"
#include "base/instant.hpp"
#include "base/named.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callboard {

/// A piece of JSON that is already text.
struct raw_json {
  std::string text;
};

void write_json_string(std::string& out, std::string_view text);

inline void write_json(std::string& out, bool x) { out += x ? "true" : "false"; }
inline void write_json(std::string& out, std::int64_t x) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr);
}
inline void write_json(std::string& out, std::int32_t x) { write_json(out, std::int64_t{x}); }
void write_json(std::string& out, double x);
inline void write_json(std::string& out, std::string_view x) { write_json_string(out, x); }
inline void write_json(std::string& out, const std::string& x) { write_json_string(out, x); }
inline void write_json(std::string& out, const raw_json& x) {
  out += x.text.empty() ? std::string_view{"null"} : x.text;
}
inline void write_json(std::string& out, instant x) {
  out += '"';
  append_iso(out, x);
  out += '"';
}
template <class Tag>
void write_json(std::string& out, id<Tag> x) {
  write_json(out, x.value);
}
template <named E>
void write_json(std::string& out, E x) {
  write_json_string(out, name(x));
}
template <described T>
void write_json(std::string& out, const T& x);
template <class T>
void write_json(std::string& out, const std::vector<T>& x);

template <class T>
void write_json(std::string& out, const std::optional<T>& x) {
  if (x)
    write_json(out, *x);
  else
    out += "null";
}

template <class T>
void write_json(std::string& out, const std::vector<T>& x) {
  out += '[';
  for (const auto& item : x) {
    if (&item != x.data())
      out += ',';
    write_json(out, item);
  }
  out += ']';
}

/// Members of an object without its braces, so that a caller can add its own.
template <described T>
void write_json_members(std::string& out, const T& x) {
  bool first = true;
  for_each_field<T>([&](const auto& f) {
    if (!first)
      out += ',';
    first = false;
    out += '"';
    out += f.name;  // field names are ours and need no escaping
    out += "\":";
    write_json(out, x.*f.member);
  });
}

template <described T>
void write_json(std::string& out, const T& x) {
  out += '{';
  write_json_members(out, x);
  out += '}';
}

template <class T>
std::string to_json(const T& x) {
  std::string out;
  write_json(out, x);
  return out;
}

}  // namespace callboard
