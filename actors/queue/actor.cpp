#include "actors/host.hpp"
#include "actors/queue/front.hpp"
#include "actors/queue/rules.hpp"

#include <caf/actor.hpp>

// The one place where the generic actor is compiled for this kind.
template std::unique_ptr<callboard::actors::kind_host>
callboard::actors::make_host<callboard::queue::kind>(environment&, const settings_of<callboard::queue::kind>&);
