#pragma once

#include "http/transport/request_context.hpp"

/// The journal for people.
namespace callboard::http {

task<response> show_audit(request_context& x);

}  // namespace callboard::http
