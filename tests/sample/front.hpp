#pragma once

#include "actors/front.hpp"
#include "tests/sample/rules.hpp"

#include <memory>

namespace callboard::sample {

/// Finds out whose a name is once a counter has lost it to another one.
class front {
public:
  front(actors::environment& env, const settings& with) : env_{env}, settings_{with} {}
  void admit(std::shared_ptr<actors::request_to<kind>> r);

private:
  actors::environment& env_;
  const settings& settings_;
};

}  // namespace callboard::sample
