#pragma once

#include "http/transport/route.hpp"

#include <span>

namespace callboard::http {

/// The calls about the journal, whatever the kind.
std::span<const route> entity_routes();

}  // namespace callboard::http
