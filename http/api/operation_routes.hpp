#pragma once

#include "http/transport/route.hpp"

#include <span>

namespace callboard::http {

/// The calls of those who run the server.
std::span<const route> operation_routes();

}  // namespace callboard::http
