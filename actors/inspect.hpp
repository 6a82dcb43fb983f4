#pragma once

#include "persistence/store.hpp"

#include <ostream>
#include <string>
#include <string_view>

namespace callboard::actors {

enum class inspected { found, no_such_kind, no_such_entity };

/// Prints what the store knows of one entity as a JSON object: its head, how many journal entries it has, when its
/// timer is due. Takes no lock, and the store need not be opened: a server may run beside it. Throws store_error when
/// the store cannot be read.
inspected inspect(persistence::store& store, std::string_view kind, const std::string& key, std::ostream& out);

}  // namespace callboard::actors
