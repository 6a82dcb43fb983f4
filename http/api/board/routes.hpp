#pragma once

#include "http/transport/route.hpp"

#include <span>

namespace callboard::http {

/// The calls about boards, their jobs, crawls and profiles.
std::span<const route> board_routes();

}  // namespace callboard::http
