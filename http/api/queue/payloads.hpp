#pragma once

#include "http/transport/request_context.hpp"
#include "messages/queue/views.hpp"

#include <vector>

namespace callboard::http {

/// What people and workers wrote about these jobs, filled in by the kind's front.
task<void> attach_payloads(request_context& x, std::vector<queue::job_view>& jobs);

}  // namespace callboard::http
