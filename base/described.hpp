#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace callboard {

/// Rules that a field may carry; each reader of a field list takes what it understands.
struct anything {};

/// A string, trimmed, then counted in code points.
struct text {
  std::size_t min = 0;
  std::size_t max = SIZE_MAX;
};

/// The same without control characters: a name that people and logs can show.
struct printable {
  std::size_t min = 0;
  std::size_t max = SIZE_MAX;
};

/// A short name in small letters, fit for paths and keys: `[a-z0-9][a-z0-9_-]{0,62}`.
struct slug {};

constexpr bool is_slug(std::string_view name) {
  constexpr auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (name.empty() || name.size() > 63 || !is_plain(name.front()))
    return false;
  for (const char c : name)
    if (!is_plain(c) && c != '_' && c != '-')
      return false;
  return true;
}

/// An integer within bounds.
struct integer_range {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

/// A string that is trimmed, lower-cased and shaped like an e-mail address.
struct email_address {};

/// A column that holds what people wrote: no part of what the journal can tell again.
struct payload {};

/// A string that holds JSON text: callers read and write the value itself.
struct json_text {};

/// A member that travels between nodes; it is neither read from callers nor shown to them.
struct hidden {};

/// A struct whose members callers read and write as members of the object around it.
struct inlined {};

/// An optional member that JSON leaves out while it is absent; others are written as null.
struct omitted_when_absent {};

/// A member that callers may leave out or send as null: it then keeps the value that its struct gives it.
template <class Rule = anything>
struct with_default {
  Rule rule{};
};

/// One member of a struct under its public name.
template <class Owner, class Member, class Rule = anything>
struct field {
  using owner_type = Owner;
  using member_type = Member;
  std::string_view name;
  Member Owner::*member;
  Rule rule{};
};

template <class Owner, class Member>
field(const char*, Member Owner::*) -> field<Owner, Member>;
template <class Owner, class Member, class Rule>
field(const char*, Member Owner::*, Rule) -> field<Owner, Member, Rule>;

/// A struct that lists its fields once, in `static constexpr auto fields`.
template <class T>
concept described = requires {
  std::tuple_size<std::remove_cvref_t<decltype(T::fields)>>::value;
};

template <described T>
inline constexpr std::size_t field_count = std::tuple_size_v<std::remove_cvref_t<decltype(T::fields)>>;

namespace detail {

/// Converts to any member. The conversion is const so that it loses against a member's own converting constructor,
/// as std::optional has one: otherwise the two were ambiguous.
struct any_member {
  template <class T>
  operator T() const;
};

template <class T, std::size_t... I>
constexpr bool holds(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), any_member{})...}; };
}

}  // namespace detail

/// Whether the list names as many fields as the struct has members. An aggregate takes as many initializers as it has
/// members and no more, so two probes answer it; counting the members costs the compiler many times that.
template <described T>
inline constexpr bool lists_every_member = detail::holds<T>(std::make_index_sequence<field_count<T>>{}) &&
                                           !detail::holds<T>(std::make_index_sequence<field_count<T> + 1>{});

template <described T, class Visitor>
constexpr void for_each_field(Visitor&& visit) {
  static_assert(lists_every_member<T>, "a member is missing in the struct's field list");
  std::apply([&](const auto&... f) { (visit(f), ...); }, T::fields);
}

}  // namespace callboard
