#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace callboard {

/// An integer that cannot be mistaken for another kind of integer.
template <class Tag>
struct id {
  std::int64_t value = 0;
  friend constexpr auto operator<=>(id, id) = default;
};

/// What JSON and JavaScript can carry exactly.
inline constexpr std::int64_t id_max = (std::int64_t{1} << 53) - 1;

}  // namespace callboard

template <class Tag>
struct std::hash<callboard::id<Tag>> {
  std::size_t operator()(callboard::id<Tag> x) const noexcept { return std::hash<std::int64_t>{}(x.value); }
};
