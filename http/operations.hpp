#pragma once

#include "http/exchange.hpp"

/// What those who run the server ask.
namespace callboard::http {

/// Alive: this process answers.
task<response> show_health(exchange& x);
/// Ready: the store answers and nothing is being shut down.
task<response> show_readiness(exchange& x);
task<response> show_operations(exchange& x);

} // namespace callboard::http
