#pragma once

#include "messages/entity_id.hpp"
#include "messages/outcome.hpp"

#include <any>
#include <concepts>
#include <string>
#include <variant>
#include <vector>

namespace callboard {

/// Something that an entity wants from outside and has not heard about: a command for another entity, or work for the
/// pool. Derived from the state, so it is repeated until the state no longer asks for it, also after a crash.
struct effect {
  std::string id;    ///< deterministic: the receiver recognises a repetition by it
  entity_id target;  ///< without a kind: work for the pool
  std::any input;    ///< the target kind's command, or what the work needs
};

/// What came of an effect: the target's result (or the work's), or its refusal.
using effect_answer = std::variant<std::any, refusal>;

/// At most so many effects of one entity are sent and unanswered; the others follow.
inline constexpr std::size_t effects_max = 64;

/// A kind with effects: which the state asks for (at most `effects_max`, oldest first), and the command by which it
/// hears of an answer. An id that it no longer waits for must be decided as nothing.
template <class Kind>
concept has_outbox = requires(const typename Kind::state& s, const std::string& id, const effect_answer& a) {
  { Kind::outbox(s) } -> std::same_as<std::vector<effect>>;
  { Kind::heard(id, a) } -> std::same_as<typename Kind::command>;
};

/// Refusals of the world, not of the domain: the effect is sent again.
constexpr bool is_transient(code c) {
  switch (c) {
  case code::timeout:
  case code::in_progress:
  case code::rate_limited:
  case code::internal:
  case code::overloaded:
  case code::not_applied:
  case code::outcome_unknown:
  case code::store_full:
  case code::moving:
  case code::entity_quarantined:
    return true;
  default:
    return false;
  }
}

}  // namespace callboard
