#pragma once

#include <string_view>

namespace callboard::http {

/// Whether an Accept header lets `type` ("application/json") through; the most specific range decides.
bool accepts(std::string_view accept, std::string_view type);

/// Whether it asks for `type` by name, not by a wildcard.
bool names_type(std::string_view accept, std::string_view type);

/// application/json, at most with charset=utf-8.
bool is_json_type(std::string_view content_type);

}  // namespace callboard::http
