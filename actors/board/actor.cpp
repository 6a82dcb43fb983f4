#include "actors/board/rules.hpp"
#include "actors/host.hpp"

#include <caf/actor.hpp>

// The one place where the generic actor is compiled for this kind.
template std::unique_ptr<callboard::actors::kind_host>
callboard::actors::make_host<callboard::board::kind>(environment&, const settings_of<callboard::board::kind>&);
