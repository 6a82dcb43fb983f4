#include "http/exchange.hpp"

#include "http/head_check.hpp"

namespace callboard::http {

std::string_view exchange::header(std::string_view name) const {
  for (const auto& [field, value] : headers)
    if (equal_ignoring_case(field, name))
      return value;
  return {};
}

std::optional<std::string_view> exchange::query_value(std::string_view name) const {
  for (const auto& [key, value] : query)
    if (key == name)
      return value;
  return std::nullopt;
}

}  // namespace callboard::http
