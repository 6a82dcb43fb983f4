#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <ostream>
#include <vector>

namespace callboard::tests {

/// What a random story is made of. Numbers are taken modulo what there is when the step comes, so
/// that a sequence keeps its sense while it is shrunk.
enum class verb : std::uint8_t {
  apply,
  apply_unknown,
  withdraw,
  remove,
  acknowledge,
  decline,
  set_capacity,
  set_windows,
  set_offer_on_apply,
  set_open,
  wait,
  wait_until_due,
  oversleep
};

struct step {
  verb what = verb::wait;
  int whom = 0;
  int much = 0;
};

inline std::ostream& operator<<(std::ostream& out, const step& s) {
  constexpr const char* names[] = {
      "apply",       "apply_unknown",      "withdraw", "remove", "acknowledge",    "decline",  "set_capacity",
      "set_windows", "set_offer_on_apply", "set_open", "wait",   "wait_until_due", "oversleep"};
  return out << names[static_cast<int>(s.what)] << '(' << s.whom << ',' << s.much << ')';
}

/// Sequences of at most 200 steps; the early ones of a run are short.
inline rc::Gen<std::vector<step>> any_steps() {
  using namespace rc;
  // Only the steps are shrunk: a smaller number is no simpler story, and trying them all takes
  // minutes.
  const auto number = [](int below) { return gen::noShrink(gen::resize(kNominalSize, gen::inRange(0, below))); };
  const auto what = gen::weightedElement<verb>({{22, verb::apply},
                                                {1, verb::apply_unknown},
                                                {8, verb::withdraw},
                                                {4, verb::remove},
                                                {10, verb::acknowledge},
                                                {6, verb::decline},
                                                {4, verb::set_capacity},
                                                {2, verb::set_windows},
                                                {2, verb::set_offer_on_apply},
                                                {3, verb::set_open},
                                                {9, verb::wait},
                                                {12, verb::wait_until_due},
                                                {5, verb::oversleep}});
  const auto one = gen::build<step>(gen::set(&step::what, what), gen::set(&step::whom, number(1000)),
                                    gen::set(&step::much, number(1000)));
  return gen::scale(2.0, gen::container<std::vector<step>>(one));
}

}  // namespace callboard::tests
