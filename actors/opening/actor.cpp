#include "actors/opening/actor.hpp"

#include "actors/entity.hpp"
#include "actors/opening/load.hpp"

#include <caf/actor.hpp>

// The one place where the generic actor is compiled for openings.
template class callboard::actors::entity<callboard::opening::kind>;

namespace callboard::opening {

std::unique_ptr<actors::kind_host> make_host(std::type_identity<kind>, actors::environment& env) {
  return std::make_unique<actors::host_of<kind>>(env, &load_states);
}

}  // namespace callboard::opening
