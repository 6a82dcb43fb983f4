#pragma once

#include "actors/board_job/rules.hpp"

#include <string>
#include <string_view>

/// What the files of the rules share. There is one overload of `on` per command; a command without one does not
/// compile.
namespace callboard::board_job {

using deciding = decision<kind>;
using answer = kind::answer;

// agent.cpp
answer on(deciding& d, const claim& c);
answer on(deciding& d, const claim_next& c);
answer on(deciding& d, const report& c);

inline std::string quoted(std::string_view name) { return '\'' + std::string{name} + '\''; }

}  // namespace callboard::board_job
