#pragma once

#include "http/transport/request_context.hpp"

/// The past, folded from the journal.
namespace callboard::http {

/// An opening's lists and events as of a moment.
task<response> replay_pipeline(request_context& x);
/// Any entity's state as of a moment.
task<response> replay_entity(request_context& x);

}  // namespace callboard::http
