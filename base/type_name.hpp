#pragma once

#include <source_location>
#include <string_view>

namespace callboard {

/// A struct's name as its definition spells it, without namespaces.
template <class T>
constexpr std::string_view type_name() {
  // g++ says "... type_name() [with T = callboard::queue::cancel; ...]".
  constexpr std::string_view before = "T = ";
  std::string_view text = std::source_location::current().function_name();
  text.remove_prefix(text.find(before) + before.size());
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.rfind(':') + 1);
}

}  // namespace callboard
