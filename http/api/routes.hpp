#pragma once

#include "http/transport/request_context.hpp"

#include <span>

namespace callboard::http {

/// Every call of the API.
std::span<const route> routes();

}  // namespace callboard::http
