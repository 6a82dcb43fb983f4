#pragma once

#include "http/transport/request_context.hpp"

/// The calls of those who apply, and what becomes of their applications.
namespace callboard::http {

task<response> apply(request_context& x);
task<response> apply_in_public(request_context& x);
task<response> withdraw(request_context& x);
task<response> acknowledge(request_context& x);
task<response> decline(request_context& x);

}  // namespace callboard::http
