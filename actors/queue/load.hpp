#pragma once

#include "actors/queue/rules.hpp"
#include "persistence/store.hpp"

#include <functional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

/// Queues from their rows.
namespace callboard::queue {

/// The states of those queues that exist, by key. Nobody may write to them meanwhile.
std::unordered_map<std::string, state> load_states(persistence::reader& from, const std::vector<std::string>& keys);

/// Finished jobs whose retention is over, by queue, a bounded number.
std::vector<std::pair<std::string, command>> overdue(persistence::reader& from, instant before);

void stored_rows(std::type_identity<kind>, persistence::reader& from, const std::string& key,
                 const std::function<void(const row&)>& sink);
void orphaned_rows(std::type_identity<kind>, persistence::reader& from,
                   const std::function<void(std::string_view table, const std::string& id)>& sink);

}  // namespace callboard::queue
