#pragma once

#include "actors/request.hpp"
#include "messages/entity_id.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>

#include <functional>
#include <memory>

/// What travels between the actors of one process.
namespace callboard::actors {

/// Something to be done in the receiver's own turn: how answers from other threads enter an actor.
using turn = std::shared_ptr<const std::function<void()>>;

template <class F>
turn make_turn(F f) {
  return std::make_shared<const std::function<void()>>(std::move(f));
}

using tick_atom = caf::atom_constant<caf::atom("tick")>;        ///< a deadline has come
using leave_atom = caf::atom_constant<caf::atom("leave")>;      ///< supervisor → entity: go if nothing is pending
using left_atom = caf::atom_constant<caf::atom("left")>;        ///< entity → supervisor: gone
using stays_atom = caf::atom_constant<caf::atom("stays")>;      ///< entity → supervisor: something came up
using idle_atom = caf::atom_constant<caf::atom("idle")>;        ///< entity → supervisor: there is nothing of me
using crashed_atom = caf::atom_constant<caf::atom("crashed")>;  ///< entity → supervisor: my state is gone, say when
using resume_atom = caf::atom_constant<caf::atom("resume")>;    ///< supervisor → entity: load again
using banned_atom = caf::atom_constant<caf::atom("banned")>;    ///< supervisor → entity: quarantined
using drain_atom = caf::atom_constant<caf::atom("drain")>;      ///< node → supervisors → entities: let nobody wait
using sweep_atom = caf::atom_constant<caf::atom("sweep")>;      ///< to oneself, from time to time
using refill_atom = caf::atom_constant<caf::atom("refill")>;    ///< to oneself: read the next timers
using wake_atom = caf::atom_constant<caf::atom("wake")>;        ///< to oneself: something is due

}  // namespace callboard::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(callboard::actors::request_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(callboard::actors::turn)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(callboard::entity_id)
