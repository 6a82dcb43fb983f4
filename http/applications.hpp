#pragma once

#include "http/exchange.hpp"

/// The calls of those who apply, and what becomes of their applications.
namespace callboard::http {

task<response> apply(exchange& x);
task<response> apply_in_public(exchange& x);
task<response> withdraw(exchange& x);
task<response> acknowledge(exchange& x);
task<response> decline(exchange& x);

} // namespace callboard::http
