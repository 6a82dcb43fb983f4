#pragma once

#include "actors/environment.hpp"
#include "actors/opening/rules.hpp"

#include <memory>
#include <type_traits>

namespace callboard::opening {

std::unique_ptr<actors::kind_host> make_host(std::type_identity<kind>, actors::environment& env);

}  // namespace callboard::opening
