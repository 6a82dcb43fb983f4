#pragma once

#include "http/transport/route.hpp"

#include <span>

namespace callboard::http {

/// The calls of the work queue.
std::span<const route> queue_routes();

}  // namespace callboard::http
