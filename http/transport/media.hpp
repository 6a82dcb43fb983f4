#pragma once

#include <string_view>

namespace callboard::http {

/// Whether an Accept header allows `type` ("application/json"); the most specific range decides.
bool accepts(std::string_view accept, std::string_view type);

/// Whether it names `type` itself, not only by a wildcard.
bool names_type(std::string_view accept, std::string_view type);

/// Whether a Content-Type is application/json, without parameters but charset=utf-8.
bool is_json_type(std::string_view content_type);

}  // namespace callboard::http
