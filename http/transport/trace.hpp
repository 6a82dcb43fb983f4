#pragma once

#include <string>
#include <string_view>

namespace callboard::http {

/// Whether a caller's X-Request-Id can be used: it must need no escaping in a header, in JSON and in a log.
bool is_request_id(std::string_view text);

/// Random, for uniqueness, not for secrecy.
std::string fresh_request_id();

/// The trace id of a W3C traceparent, or a new one when it has none.
std::string trace_id(std::string_view traceparent);

/// A random number for jitter, uniform in [0, bound).
unsigned random_below(unsigned bound);

}  // namespace callboard::http
