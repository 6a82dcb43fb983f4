#pragma once

#include "base/described.hpp"
#include "base/id.hpp"
#include "base/instant.hpp"
#include "base/named.hpp"
#include "base/type_name.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
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

/// Which members of a struct JSON has. What callers see leaves out hidden ones. What nodes tell each other has all of
/// them and comes back exactly: times in milliseconds, a number that JSON does not carry exactly as a string, no rule
/// of a field applied, an absent optional left out.
enum class json_members : std::uint8_t { shown, all };

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class Rule>
inline constexpr bool is_json_text = false;
template <>
inline constexpr bool is_json_text<json_text> = true;
template <>
inline constexpr bool is_json_text<with_default<json_text>> = true;

}  // namespace detail

template <json_members Members>
class json_writer {
public:
  explicit json_writer(std::string& out) : out_{out} {}

  void write(std::int64_t x) {
    const bool quoted = is_complete && (x < -id_max || x > id_max);
    out_ += quoted ? "\"" : "";
    write_json(out_, x);
    out_ += quoted ? "\"" : "";
  }
  void write(std::int32_t x) { write_json(out_, x); }
  void write(bool x) { write_json(out_, x); }
  void write(double x) {
    if (!is_complete || std::abs(x) <= static_cast<double>(id_max))
      return write_json(out_, x);
    char text[40];
    write_json(out_, std::string_view{text, std::to_chars(text, text + sizeof text, x).ptr});
  }
  void write(const std::string& x) { write_json(out_, x); }
  void write(std::string_view x) { write_json(out_, x); }
  void write(const raw_json& x) { write_json(out_, x); }
  void write(instant x) {
    if constexpr (is_complete)
      write_json(out_, to_ms(x));
    else
      write_json(out_, x);
  }
  template <class Tag>
  void write(id<Tag> x) {
    write(x.value);
  }
  template <named E>
  void write(E x) {
    write_json(out_, x);
  }
  /// Types of other layers that bring a `write_json` of their own.
  template <class T>
  requires(!described<T> && std::is_class_v<T>) void write(const T& x) { write_json(out_, x); }
  template <class T>
  void write(const std::optional<T>& x) {
    if (x)
      write(*x);
    else
      out_ += "null";
  }
  template <class T>
  void write(const std::shared_ptr<const T>& x) {
    if (x)
      write(*x);
    else
      out_ += "null";
  }
  template <class T>
  void write(const std::vector<T>& x) {
    out_ += '[';
    for (const auto& item : x) {
      if (&item != x.data())
        out_ += ',';
      write(item);
    }
    out_ += ']';
  }
  template <class T, class Order>
  void write(const std::map<std::string, T, Order>& x) {
    out_ += '{';
    bool first = true;
    for (const auto& [key, value] : x) {
      if (!first)
        out_ += ',';
      first = false;
      write_json(out_, key);
      out_ += ':';
      write(value);
    }
    out_ += '}';
  }
  /// The struct's own name says which one it is: it stays when others are added to the variant.
  template <described... T>
  void write(const std::variant<T...>& x) {
    std::visit(
        [this]<class One>(const One& one) {
          out_ += R"({"type":")";
          out_ += type_name<One>();
          out_ += R"(","value":)";
          write(one);
          out_ += '}';
        },
        x);
  }
  template <described T>
  void write(const T& x) {
    out_ += '{';
    members(x);
    out_ += '}';
  }

  /// Members of an object without its braces, so that a caller can add its own.
  template <described T>
  void members(const T& x) {
    bool first = true;
    members(x, first);
  }

private:
  static constexpr bool is_complete = Members == json_members::all;

  template <described T>
  void members(const T& x, bool& first) {
    for_each_field<T>([&](const auto& f) { member(f, x.*f.member, first); });
  }

  template <class Field, class Member>
  void member(const Field& f, const Member& x, bool& first) {
    using rule = std::remove_cvref_t<decltype(f.rule)>;
    if constexpr (!is_complete && std::is_same_v<rule, hidden>)
      return;
    else if constexpr (!is_complete && std::is_same_v<rule, inlined>)
      members(x, first);
    else {
      if constexpr (detail::is_optional<Member> && (is_complete || std::is_same_v<rule, omitted_when_absent>))
        if (!x)
          return;
      if (!first)
        out_ += ',';
      first = false;
      out_ += '"';
      out_ += f.name;  // field names are ours and need no escaping
      out_ += "\":";
      if constexpr (!is_complete && detail::is_json_text<rule>)
        write_text(x);
      else
        write(x);
    }
  }

  void write_text(const std::string& x) { out_ += x.empty() ? std::string_view{"null"} : x; }
  void write_text(const std::optional<std::string>& x) { write_text(x ? *x : std::string{}); }

  std::string& out_;
};

template <described T>
void write_json(std::string& out, const T& x) {
  json_writer<json_members::shown>{out}.write(x);
}
template <class T>
void write_json(std::string& out, const std::optional<T>& x) {
  json_writer<json_members::shown>{out}.write(x);
}
template <class T>
void write_json(std::string& out, const std::vector<T>& x) {
  json_writer<json_members::shown>{out}.write(x);
}

/// Members of an object without its braces, so that a caller can add its own.
template <described T>
void write_json_members(std::string& out, const T& x) {
  json_writer<json_members::shown>{out}.members(x);
}

/// What callers see.
template <class T>
std::string to_json(const T& x) {
  std::string out;
  write_json(out, x);
  return out;
}

/// All of it, for another node; `from_complete_json` reads it.
template <class T>
std::string to_complete_json(const T& x) {
  std::string out;
  json_writer<json_members::all>{out}.write(x);
  return out;
}

}  // namespace callboard
