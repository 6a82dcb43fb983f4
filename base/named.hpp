#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace callboard {

/// An enum whose values have public names, listed in order by an array `names_of(E)` found by ADL.
template <class E>
concept named = std::is_enum_v<E> && requires(E e) {
  names_of(e).size();
};

template <named E>
constexpr std::string_view name(E value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

template <named E>
constexpr std::optional<E> from_name(std::string_view text) {
  constexpr auto all = names_of(E{});
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] == text)
      return static_cast<E>(i);
  return std::nullopt;
}

}  // namespace callboard
