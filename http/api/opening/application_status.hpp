#pragma once

#include "http/transport/request_context.hpp"

/// What one applicant sees of all their applications.
namespace callboard::http {

task<response> show_status(request_context& x);
task<response> show_timeline(request_context& x);

}  // namespace callboard::http
