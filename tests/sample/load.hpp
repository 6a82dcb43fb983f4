#pragma once

#include "persistence/store.hpp"
#include "tests/sample/rules.hpp"

#include <optional>
#include <string>

/// Counters from their rows.
namespace callboard::sample {

/// Brings the tables into a store that is open. A kind of production has a migration instead.
void create_tables(persistence::store& in);

/// The counter that a name belongs to.
std::optional<std::string> owner_of(persistence::reader& from, const std::string& name);

}  // namespace callboard::sample
