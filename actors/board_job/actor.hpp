#pragma once

#include "actors/board_job/rules.hpp"
#include "actors/environment.hpp"

#include <memory>
#include <type_traits>

namespace callboard::board_job {

std::unique_ptr<actors::kind_host> make_host(std::type_identity<kind>, actors::environment& env);

}  // namespace callboard::board_job
