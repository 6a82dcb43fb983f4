#include "http/transport/request_context.hpp"

#include "http/transport/head_check.hpp"

namespace callboard::http {

std::string_view request_context::header(std::string_view name) const {
  for (const auto& [field, value] : headers)
    if (equal_ignoring_case(field, name))
      return value;
  return {};
}

std::optional<std::string_view> request_context::query_value(std::string_view name) const {
  for (const auto& [key, value] : query)
    if (key == name)
      return value;
  return std::nullopt;
}

}  // namespace callboard::http
