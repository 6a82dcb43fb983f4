#include "actors/queue/actor.hpp"

#include "actors/entity.hpp"
#include "actors/queue/load.hpp"

#include <caf/actor.hpp>

// The one place where the generic actor is compiled for queues.
template class callboard::actors::entity<callboard::queue::kind>;

namespace callboard::queue {

std::unique_ptr<actors::kind_host> make_host(std::type_identity<kind>, actors::environment& env) {
  return std::make_unique<actors::host_of<kind>>(env, &load_states, [&env](persistence::reader& from, instant now) {
    return overdue(from, now - env.finished_kept);
  });
}

}  // namespace callboard::queue
