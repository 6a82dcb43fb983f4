#pragma once

#include "http/transport/request_context.hpp"

/// What those who run the server ask.
namespace callboard::http {

/// Alive: this process answers.
task<response> show_health(request_context& x);
/// Ready: the store answers and nothing is being shut down.
task<response> show_readiness(request_context& x);
task<response> show_operations(request_context& x);

}  // namespace callboard::http
