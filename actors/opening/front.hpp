#pragma once

#include "actors/front.hpp"
#include "actors/opening/rules.hpp"

#include <memory>

namespace callboard::opening {

/// Finds out who applies before an opening decides: whose an e-mail is, or whether an applicant id exists.
class front {
public:
  front(actors::environment& env, const no_settings&) : env_{env} {}
  void admit(std::shared_ptr<actors::request_to<kind>> r);

private:
  actors::environment& env_;
};

}  // namespace callboard::opening
