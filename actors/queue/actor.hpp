#pragma once

#include "actors/environment.hpp"
#include "actors/queue/rules.hpp"

#include <memory>
#include <type_traits>

namespace callboard::queue {

std::unique_ptr<actors::kind_host> make_host(std::type_identity<kind>, actors::environment& env);

}  // namespace callboard::queue
