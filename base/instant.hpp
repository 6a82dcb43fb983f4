#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace callboard {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A moment in UTC, exact to milliseconds.
using instant = std::chrono::sys_time<milliseconds>;

constexpr std::int64_t to_ms(instant t) { return t.time_since_epoch().count(); }
constexpr instant from_ms(std::int64_t ms) { return instant{milliseconds{ms}}; }

/// `2026-01-31T09:00:00.000Z`: always three fraction digits and Z.
void append_iso(std::string& out, instant t);
std::string to_iso(instant t);

/// RFC 3339 with an offset or Z and any number of fraction digits (those past the third are cut off).
std::optional<instant> from_rfc3339(std::string_view text);

}  // namespace callboard
