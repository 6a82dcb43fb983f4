#pragma once

#include "actors/environment.hpp"
#include "actors/request.hpp"

#include <memory>
#include <utility>

namespace callboard::actors {

/// The front of a kind that needs nothing before its entities decide.
template <class Kind>
class no_front {
public:
  template <class Settings>
  no_front(environment& env, const Settings&) : env_{env} {}
  void admit(std::shared_ptr<request_to<Kind>> r) { env_.forward(std::move(r)); }

private:
  environment& env_;
};

/// What a kind does with a request before its entity decides, on the node that owns the entity: look-ups. A kind that
/// needs them declares `front` in its rules.hpp and defines it in its front.hpp.
template <class Kind>
struct front_of {
  using type = no_front<Kind>;
};
template <class Kind>
requires requires { typename Kind::front; }
struct front_of<Kind> {
  using type = typename Kind::front;
};

}  // namespace callboard::actors
