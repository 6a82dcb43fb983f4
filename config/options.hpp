#pragma once

#include "config/settings.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace callboard::config {

struct integer_range {
  int settings::*member;
  int least;
  int most;
};

struct one_of {
  std::string settings::*member;
  std::vector<std::string_view> choices;
};

// `accepts` checks the text, for a list each of its items; `expected` describes what it accepts.
struct text {
  std::string settings::*member;
  bool (*accepts)(std::string_view);
  std::string_view expected;
};

struct text_list {
  std::vector<std::string> settings::*member;
  bool (*accepts)(std::string_view);
  std::string_view expected;
};

struct option {
  std::string_view name;
  std::variant<integer_range, one_of, text, text_list> value;
  std::string_view help;
  std::string_view alias = {};  // a second environment variable, which hosting platforms set

  std::string variable() const;                               // CALLBOARD_HTTP_PORT
  std::string_view group() const;                             // http
  std::string expected() const;                               // a whole number from 0 to 65535
  std::string shown(const settings& from) const;              // its value as it is written in the file
  bool assign(settings& to, std::string_view written) const;  // false: not what was expected
};

std::span<const option> options();
const option* find_option(std::string_view name);

// The option that an unknown name most likely means; null when no name is similar.
const option* nearest_option(std::string_view name);

}  // namespace callboard::config
