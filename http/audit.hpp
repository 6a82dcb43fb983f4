#pragma once

#include "http/exchange.hpp"

/// The journal for people.
namespace callboard::http {

task<response> show_audit(exchange& x);

} // namespace callboard::http
