#pragma once

#include "base/instant.hpp"
#include "messages/origin.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace callboard::persistence {

/// An event's hash, 32 bytes: over the previous event's hash (empty for the first) and all journal columns but the
/// position, which is assigned by the store.
std::string chain_hash(std::string_view previous, std::string_view kind, std::string_view key, std::int64_t seq,
                       std::string_view type, instant at, const std::optional<std::string>& subject, const origin& by,
                       std::string_view data);

}  // namespace callboard::persistence
