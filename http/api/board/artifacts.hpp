#pragma once

#include "base/json.hpp"

#include <optional>
#include <string>

namespace callboard::http {

/// The artifacts in a body as text, checked: what has a known name has its type, or is null to be removed; the rest is
/// kept as it is. Nothing when the body names none.
std::optional<std::string> artifacts_in(const json_value& body);

}  // namespace callboard::http
