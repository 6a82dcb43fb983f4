#pragma once

#include "http/transport/route.hpp"

#include <span>

namespace callboard::http {

/// Every call of the API: the rows of each kind, put together once.
std::span<const route> routes();

}  // namespace callboard::http
