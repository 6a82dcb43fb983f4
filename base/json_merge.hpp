#pragma once

#include "base/json.hpp"

#include <string>
#include <string_view>

namespace callboard {

/// `changes` laid over `before`, both texts of objects that we wrote: objects merge key by key at every depth, anything
/// else replaces, null removes the key. An empty `before` is an empty object.
std::string merged_json(std::string_view before, std::string_view changes);

}  // namespace callboard
