#pragma once

#include "actors/environment.hpp"
#include "actors/profile/rules.hpp"

#include <memory>
#include <type_traits>

namespace callboard::profile {

std::unique_ptr<actors::kind_host> make_host(std::type_identity<kind>, actors::environment& env);

}  // namespace callboard::profile
