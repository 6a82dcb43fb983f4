#include "http/transport/media.hpp"

#include "http/transport/head_check.hpp"

#include <algorithm>

namespace callboard::http {

namespace {

/// Removes the next part from the front of `list`, trimmed; parts are separated by `separator`.
std::string_view next_part(std::string_view& list, char separator) {
  const auto end = std::min(list.find(separator), list.size());
  const auto part = without_blanks(list.substr(0, end));
  list.remove_prefix(std::min(end + 1, list.size()));
  return part;
}

bool is_wanted(std::string_view parameters) {
  while (!parameters.empty()) {
    const auto parameter = next_part(parameters, ';');
    if (parameter.starts_with("q=") || parameter.starts_with("Q="))
      return parameter.find_first_of("123456789") != std::string_view::npos;
  }
  return true;
}

/// How specifically the range matches the type; 0 when it does not.
int precision(std::string_view range, std::string_view type) {
  if (equal_ignoring_case(range, type))
    return 3;
  if (range == "*/*")
    return 1;
  const bool covers = range.ends_with("/*") &&
                      equal_ignoring_case(range.substr(0, range.size() - 1), type.substr(0, type.find('/') + 1));
  return covers ? 2 : 0;
}

struct verdict {
  int precision = 0;
  bool is_wanted = false;
};

verdict judge(std::string_view accept, std::string_view type) {
  verdict best;
  while (!accept.empty()) {
    auto range = next_part(accept, ',');
    const auto name = next_part(range, ';');
    if (const auto p = precision(name, type); p > best.precision)
      best = {p, is_wanted(range)};
  }
  return best;
}

}  // namespace

bool accepts(std::string_view accept, std::string_view type) {
  return accept == "*/*" || judge(accept, type).is_wanted;
}

bool names_type(std::string_view accept, std::string_view type) {
  const auto v = judge(accept, type);
  return v.precision == 3 && v.is_wanted;
}

bool is_json_type(std::string_view content_type) {
  if (!equal_ignoring_case(next_part(content_type, ';'), "application/json"))
    return false;
  while (!content_type.empty()) {
    const auto parameter = next_part(content_type, ';');
    if (!parameter.empty() && !equal_ignoring_case(parameter, "charset=utf-8") &&
        !equal_ignoring_case(parameter, "charset=\"utf-8\""))
      return false;
  }
  return true;
}

}  // namespace callboard::http
