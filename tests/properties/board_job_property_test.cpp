#include "tests/properties/board_job_random_run.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <cstdlib>
#include <sstream>

using namespace callboard::tests::board_jobs;

namespace {

int sequences() {
  const char* wanted = std::getenv("CALLBOARD_PROPERTY_SEQUENCES");
  const int n = wanted ? std::atoi(wanted) : 0;
  return n > 0 ? n : 500;
}

/// Like rc::prop, but as many times as asked for.
template <class Testable>
void holds(const std::string& description, Testable&& testable) {
  auto params = rc::detail::configuration().testParams;
  params.maxSuccess = sequences();
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = description;
  const auto outcome = rc::detail::checkTestable(std::forward<Testable>(testable), metadata, params);
  std::ostringstream message;
  rc::detail::printResultMessage(outcome, message);
  INFO(message.str());
  REQUIRE(outcome.template is<rc::detail::SuccessResult>());
}

rc::Gen<std::vector<step>> any_steps() {
  using namespace rc;
  const auto number = [](int below) { return gen::noShrink(gen::resize(kNominalSize, gen::inRange(0, below))); };
  const auto what = gen::weightedElement<verb>({{16, verb::claim},
                                                {3, verb::claim_again},
                                                {8, verb::heartbeat},
                                                {4, verb::submit},
                                                {8, verb::succeed},
                                                {8, verb::fail},
                                                {8, verb::old_success},
                                                {3, verb::annotate},
                                                {6, verb::set_status},
                                                {6, verb::see},
                                                {2, verb::change},
                                                {1, verb::erase},
                                                {3, verb::crawl},
                                                {14, verb::wait}});
  const auto one = gen::build<step>(gen::set(&step::what, what), gen::set(&step::whom, number(1000)),
                                    gen::set(&step::much, number(1000)));
  return gen::scale(2.0, gen::container<std::vector<step>>(one));
}

}  // namespace

TEST_CASE("whatever is asked of a board job, the rules do what the contract says and can be told again") {
  holds("rules = model = fold(journal) = load(rows), one lock at a time", [] {
    const auto steps = *any_steps();
    random_run t;
    try {
      for (const auto& one : steps)
        t.take(one);
    } catch (const std::exception& e) {
      RC_LOG() << "The story:\n" << t.history();
      RC_FAIL(e.what());
    }
  });
}
