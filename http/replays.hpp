#pragma once

#include "http/exchange.hpp"

/// The past, folded from the journal.
namespace callboard::http {

/// An opening's lists and events as of a moment.
task<response> replay_pipeline(exchange& x);
/// Any entity's state as of a moment.
task<response> replay_entity(exchange& x);

} // namespace callboard::http
