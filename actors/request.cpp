#include "actors/request.hpp"

#include "base/digest.hpp"

namespace callboard::actors {

refusal idempotency_mismatch() {
  return {code::idempotency_mismatch, "This Idempotency-Key was used for a different request", {}};
}

void request_key::bind(const entity_id& target, bool creates) {
  persistence::digest d;
  d.add(scope).add(target.kind).add(creates ? std::string_view{} : target.key).add(text);
  this->digest = d.take();
}

void request::fail(code what) {
  // Who only joined an equal request does not know how that one ended, and has changed nothing itself.
  if (joined && (what == code::not_applied || what == code::outcome_unknown))
    return refuse({code::in_progress, "A request with this Idempotency-Key is still in progress", {}});
  switch (what) {
  case code::not_applied:
    return refuse({what, "Nothing was written; try again", {}});
  case code::outcome_unknown:
    return refuse(
        {what, "The store did not say whether this was written; ask again with the same Idempotency-Key", {}});
  case code::store_full:
    return refuse({what, "The store has no space left; nothing was written", {}});
  case code::overloaded:
    return refuse({what, "Too many requests at once; nothing was written", {}});
  case code::entity_quarantined:
    return refuse({what, "This is out of service for a few minutes", {}});
  default:
    return refuse({what, "Something went wrong on our side; nothing was written", {}});
  }
}

}  // namespace callboard::actors
