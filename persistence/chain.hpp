#pragma once

#include "base/instant.hpp"
#include "messages/origin.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace callboard::persistence {

/// An event's hash: over the hash before it (empty for the first) and everything the journal says about it but its
/// position, which is the store's affair. 32 bytes.
std::string chain_hash(std::string_view previous, std::string_view kind, std::string_view key, std::int64_t seq,
                       std::string_view type, instant at, const std::optional<std::string>& subject, const origin& by,
                       std::string_view data);

}  // namespace callboard::persistence
