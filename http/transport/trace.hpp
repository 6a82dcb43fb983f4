#pragma once

#include <string>
#include <string_view>

namespace callboard::http {

/// A caller's X-Request-Id is taken over when it can stand in a header, in JSON and in a log as it is.
bool is_request_id(std::string_view text);

/// Random, to be told apart, not to be secret.
std::string fresh_request_id();

/// The trace id of a W3C traceparent, or a new one when it has none.
std::string trace_id(std::string_view traceparent);

/// For jitter; uniform in [0, bound).
unsigned random_below(unsigned bound);

}  // namespace callboard::http
