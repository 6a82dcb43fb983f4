#include "actors/host.hpp"
#include "actors/opening/front.hpp"
#include "actors/opening/rules.hpp"

#include <caf/actor.hpp>

// The one place where the generic actor is compiled for this kind.
template std::unique_ptr<callboard::actors::kind_host>
callboard::actors::make_host<callboard::opening::kind>(environment&, const settings_of<callboard::opening::kind>&);
