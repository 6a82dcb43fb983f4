#include "actors/profile/actor.hpp"

#include "actors/entity.hpp"
#include "actors/profile/load.hpp"

#include <caf/actor.hpp>

// The one place where the generic actor is compiled for profiles.
template class callboard::actors::entity<callboard::profile::kind>;

namespace callboard::profile {

std::unique_ptr<actors::kind_host> make_host(std::type_identity<kind>, actors::environment& env) {
  return std::make_unique<actors::host_of<kind>>(env, &load_states);
}

}  // namespace callboard::profile
