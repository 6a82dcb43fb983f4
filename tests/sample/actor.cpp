#include "actors/host.hpp"
#include "tests/sample/front.hpp"
#include "tests/sample/rules.hpp"

#include <caf/actor.hpp>

static_assert(callboard::actors::can_wait<callboard::sample::kind>);
static_assert(callboard::has_outbox<callboard::sample::kind>);

// The one place where the generic actor is compiled for this kind.
template std::unique_ptr<callboard::actors::kind_host>
callboard::actors::make_host<callboard::sample::kind>(environment&, const settings_of<callboard::sample::kind>&);
