#pragma once

#include "actors/request.hpp"
#include "http/transport/request_context.hpp"

#include <memory>

namespace callboard::http {

/// For a command that its entity may answer much later. A waiting request does not count as one in flight, and its
/// entity gives it nothing any more once its client has gone. The route has to say that it waits.
void let_wait(request_context& x, const std::shared_ptr<actors::request>& r);

}  // namespace callboard::http
