#pragma once

#include "config/settings.hpp"

#include <string>
#include <vector>

/// What the program can do: one function per command, each in a file of its name. `operands` are the words between the
/// command and its options; the result is the exit code.
namespace callboard::cli {

using operands = std::vector<std::string>;

int serve(const config::settings& s, const operands&);
int migrate(const config::settings& s, const operands&);
int verify(const config::settings& s, const operands&);
int inspect(const config::settings& s, const operands& kind_and_key);

}  // namespace callboard::cli
