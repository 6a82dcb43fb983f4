#pragma once

#include "messages/profile.hpp"
#include "persistence/store.hpp"

#include <optional>
#include <string>

namespace callboard::profile {

std::optional<profile> find_profile(persistence::reader& from, const std::string& user_id);

}  // namespace callboard::profile
