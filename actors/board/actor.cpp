#include "actors/board/actor.hpp"

#include "actors/board/load.hpp"
#include "actors/entity.hpp"

#include <caf/actor.hpp>

// The one place where the generic actor is compiled for boards.
template class callboard::actors::entity<callboard::board::kind>;

namespace callboard::board {

std::unique_ptr<actors::kind_host> make_host(std::type_identity<kind>, actors::environment& env) {
  return std::make_unique<actors::host_of<kind>>(env, &load_states);
}

}  // namespace callboard::board
