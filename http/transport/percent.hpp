#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callboard::http {

/// Decodes %XX once into `out`. False for a malformed escape, a NUL or a result that is not UTF-8.
bool decode_segment(std::string_view text, std::string& out);

/// `a=1&b=x+y`, in order; a name without '=' has an empty value. False as above.
bool decode_query(std::string_view text, std::vector<std::pair<std::string, std::string>>& out);

bool is_utf8(std::string_view text);

}  // namespace callboard::http
