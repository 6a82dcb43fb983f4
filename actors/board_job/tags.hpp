#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::board_job {

/// Those of `known` that occur as whole words, in any case, in the title or the department; in the order of `known`.
std::vector<std::string> tags_of(std::string_view title, std::string_view department,
                                 std::span<const std::string> known);

}  // namespace callboard::board_job
