#pragma once

#include "http/exchange.hpp"

/// What one applicant sees of all their applications.
namespace callboard::http {

task<response> show_status(exchange& x);
task<response> show_timeline(exchange& x);

} // namespace callboard::http
