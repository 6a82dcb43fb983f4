#include "tests/properties/opening_random_run.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <cstdlib>
#include <sstream>

using namespace callboard::tests;

namespace {

int sequences() {
  const char* wanted = std::getenv("CALLBOARD_PROPERTY_SEQUENCES");
  const int n = wanted ? std::atoi(wanted) : 0;
  return n > 0 ? n : 500;
}

/// Like rc::prop, but as many times as asked for. RC_PARAMS="seed=…" or "reproduce=…" repeats a
/// failure.
template <class Testable>
void holds(const std::string& description, Testable&& testable) {
  const auto& configured = rc::detail::configuration();
  auto params = configured.testParams;
  params.maxSuccess = sequences();
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = description;
  const auto outcome = rc::detail::checkTestable(std::forward<Testable>(testable), metadata, params);
  std::ostringstream message;
  rc::detail::printResultMessage(outcome, message);
  INFO(message.str());
  REQUIRE(outcome.template is<rc::detail::SuccessResult>());
}

}  // namespace

TEST_CASE("whatever is asked of an opening, the rules do what the contract says and can be told again") {
  holds("rules = model = fold(journal) = load(rows)", [] {
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
