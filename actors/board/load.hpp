#pragma once

#include "actors/board/rules.hpp"
#include "persistence/store.hpp"

#include <functional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

/// Boards from their rows.
namespace callboard::board {

std::unordered_map<std::string, state> load_states(persistence::reader& from, const std::vector<std::string>& keys);

/// Every row that belongs to a board, those of crawls that have ended too.
void stored_rows(std::type_identity<kind>, persistence::reader& from, const std::string& key,
                 const std::function<void(const row&)>& sink);

/// Names rows that belong to no board with a journal, one call per row.
void orphaned_rows(std::type_identity<kind>, persistence::reader& from,
                   const std::function<void(std::string_view table, const std::string& id)>& sink);

}  // namespace callboard::board
