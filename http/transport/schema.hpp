#pragma once

#include "base/described.hpp"
#include "base/id.hpp"
#include "base/instant.hpp"
#include "base/json_write.hpp"
#include "base/named.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace callboard {

/// JSON values of one type that are text already, as the array that they make.
template <class T>
struct rows_text {
  std::string text = "[]";
};

template <class T>
void write_json(std::string& out, const rows_text<T>& x) {
  out += x.text;
}

}  // namespace callboard

/// The shape of a described struct as data, so that a route table without templates can name structs and documentation
/// can be made of it.
namespace callboard::http {

enum class shape : std::uint8_t { anything, boolean, integer, number, string, time, choice, array, object };

struct member_visitor;

struct schema {
  shape is = shape::anything;
  bool is_nullable = false;
  std::string_view name{};                      ///< of a struct
  std::span<const std::string_view> choices{};  ///< of a choice
  const schema* items = nullptr;                ///< of an array
  void (*members)(member_visitor&) = nullptr;   ///< of an object: visits them in order
};

/// What a rule of a field list says in numbers: characters of a string, bounds of an integer.
struct bounds {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

struct member_schema {
  std::string_view name;
  const schema* of = nullptr;
  bool is_omitted_when_absent = false;
  std::optional<bounds> within{};
};

struct member_visitor {
  virtual ~member_visitor() = default;
  virtual void take(const member_schema& member) = 0;
};

namespace detail {

template <class T>
constexpr std::string_view type_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  text = text.substr(0, text.find(';'));
  for (const std::string_view outer : {"callboard::http::", "callboard::", "{anonymous}::"})
    if (text.starts_with(outer))
      text.remove_prefix(outer.size());
  return text;
}

template <class T>
struct element_of;
template <class T>
struct element_of<std::vector<T>> {
  using type = T;
};
template <class T>
struct element_of<rows_text<T>> {
  using type = T;
};

template <class T>
struct unwrapped {
  using type = T;
};
template <class T>
struct unwrapped<std::optional<T>> : unwrapped<T> {};

template <class T>
concept list = requires {
  typename element_of<T>::type;
};

template <class T>
inline constexpr bool is_id = false;
template <class Tag>
inline constexpr bool is_id<id<Tag>> = true;

template <class T>
inline constexpr bool is_map = false;
template <class T, class Order>
inline constexpr bool is_map<std::map<std::string, T, Order>> = true;

template <named E>
inline constexpr auto choices_of = names_of(E{});

template <class Rule>
constexpr std::optional<bounds> bounds_of(const Rule& rule) {
  if constexpr (requires { rule.min, rule.max; })
    return bounds{static_cast<std::int64_t>(rule.min), static_cast<std::int64_t>(rule.max)};
  else
    return std::nullopt;
}

template <described T>
void visit_members(member_visitor& visitor);

template <class T>
constexpr schema make_schema();

}  // namespace detail

template <class T>
inline constexpr schema schema_for = detail::make_schema<T>();

/// Compares by address: one schema per type.
template <class T>
constexpr const schema* schema_of() {
  return &schema_for<T>;
}

namespace detail {

template <class T>
constexpr schema make_schema() {
  using type = typename unwrapped<T>::type;
  schema out;
  out.is_nullable = !std::is_same_v<T, type>;
  if constexpr (std::is_same_v<type, bool>) {
    out.is = shape::boolean;
  } else if constexpr (std::is_integral_v<type> || is_id<type>) {
    out.is = shape::integer;
  } else if constexpr (std::is_floating_point_v<type>) {
    out.is = shape::number;
  } else if constexpr (std::is_convertible_v<type, std::string_view>) {
    out.is = shape::string;
  } else if constexpr (std::is_same_v<type, instant>) {
    out.is = shape::time;
  } else if constexpr (named<type>) {
    out.is = shape::choice;
    out.choices = choices_of<type>;
  } else if constexpr (list<type>) {
    out.is = shape::array;
    out.items = schema_of<typename element_of<type>::type>();
  } else if constexpr (described<type>) {
    out.is = shape::object;
    out.name = type_name<type>();
    out.members = &visit_members<type>;
  } else if constexpr (is_map<type>) {
    out.is = shape::object;
    out.name = "map";
  } else {
    static_assert(std::is_same_v<type, raw_json>, "the types that JSON is made of are listed here");
  }
  return out;
}

template <described T>
void visit_members(member_visitor& visitor) {
  for_each_field<T>([&](const auto& f) {
    using field_type = std::remove_cvref_t<decltype(f)>;
    using rule = decltype(field_type::rule);
    if constexpr (std::is_same_v<rule, hidden>)
      return;
    else if constexpr (std::is_same_v<rule, inlined>)
      visit_members<typename field_type::member_type>(visitor);
    else
      visitor.take({f.name, schema_of<typename field_type::member_type>(), std::is_same_v<rule, omitted_when_absent>,
                    bounds_of(f.rule)});
  });
}

}  // namespace detail
}  // namespace callboard::http
