#pragma once

#include "persistence/store.hpp"

#include <ostream>

namespace callboard::actors {

/// Holds every kind's journal against its rows and prints what differs. 0 when nothing does, 1 otherwise; throws
/// store_error when the store cannot be read. The store need not be opened: a server may run beside it.
int verify_all(persistence::store& store, std::ostream& out);

}  // namespace callboard::actors
