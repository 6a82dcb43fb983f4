#pragma once

#include "http/transport/route.hpp"

#include <span>

namespace callboard::http {

/// The calls about openings, applications and applicants.
std::span<const route> opening_routes();

}  // namespace callboard::http
