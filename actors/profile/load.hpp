#pragma once

#include "actors/profile/rules.hpp"
#include "persistence/store.hpp"

#include <functional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

/// Profiles from their rows.
namespace callboard::profile {

std::unordered_map<std::string, state> load_states(persistence::reader& from, const std::vector<std::string>& keys);

void stored_rows(std::type_identity<kind>, persistence::reader& from, const std::string& key,
                 const std::function<void(const row&)>& sink);

/// Names rows that belong to no profile with a journal, one call per row.
void orphaned_rows(std::type_identity<kind>, persistence::reader& from,
                   const std::function<void(std::string_view table, const std::string& id)>& sink);

}  // namespace callboard::profile
