#include "opening_run.hpp"
#include "sample_run.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace callboard;
using namespace callboard::simulation;

namespace {

unsigned seeds() {
  const char* wanted = std::getenv("CALLBOARD_SIMULATION_SEEDS");
  return wanted != nullptr ? static_cast<unsigned>(std::strtoul(wanted, nullptr, 10)) : 200;
}

/// Where to begin, to run one seed again.
unsigned first_seed() {
  const char* wanted = std::getenv("CALLBOARD_SIMULATION_FIRST");
  return wanted != nullptr ? static_cast<unsigned>(std::strtoul(wanted, nullptr, 10)) : 1;
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string out;
  for (const auto& s : sentences)
    out += s + '\n';
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("whatever order things happen in and whatever fails, every promise is kept", "", sample_run,
                   opening_run) {
  int commands = 0;
  int faults = 0;
  for (unsigned seed = first_seed(); seed < first_seed() + seeds(); ++seed) {
    TestType t{seed};
    t.run();
    INFO("seed " << seed << ", trace " << std::hex << t.trace());
    CHECK(joined(t.complaints) == "");
    commands += t.commands();
    faults += t.faults();
    if (seed % 100 == 0) {
      TestType same{seed};
      same.run();
      CHECK(same.trace() == t.trace());
    }
  }
  // A simulation that does little proves little.
  CHECK(commands > 80 * static_cast<int>(seeds()));
  CHECK(faults > 15 * static_cast<int>(seeds()));
}
