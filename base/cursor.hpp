#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace callboard {

/// Where a page of a list begins: numbers that only the server reads.
using cursor = std::vector<std::int64_t>;

inline constexpr std::size_t cursor_digits = 16;  ///< per number

std::string cursor_text(const cursor& c);

}  // namespace callboard
