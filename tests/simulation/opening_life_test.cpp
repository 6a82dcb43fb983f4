#include "openings.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::simulation;

TEST_CASE("an offer decays when its time is over, also after a crash, never early") {
  opening_world w;
  const auto id = w.create(job(1, 60));
  w.ask(id, by(1));
  w.ask(id, by(2));
  w.ask(id, leaves(id, 1));
  const bool crashes = GENERATE(false, true);
  if (crashes)
    w.crash();
  w.pass(59'999ms);
  CHECK(w.count("select count(*) from journal where type = 'DECAY_TRIGGERED'") == 0);
  w.pass(2ms);
  CHECK(w.count("select count(*) from journal where type = 'DECAY_TRIGGERED'") == 1);
  // Nobody else waits: the one who decayed cools for a window and is promoted again.
  w.pass(60s);
  CHECK(w.count("select count(*) from journal where type = 'PROMOTED'") == 2);
  CHECK(w.verified());
}

TEST_CASE("an offer that is due while the store is away decays soon after it is back") {
  opening_world w;
  const auto id = w.create(job(1, 20));
  w.ask(id, by(1));
  w.ask(id, by(2));
  w.ask(id, by(3));
  w.ask(id, leaves(id, 1));
  w.faults->unreachable = true;
  const auto p = w.send(id, by(4));
  w.pass(90s);
  CHECK(p->refused(code::not_applied));
  w.faults->clears();
  w.pass(3s);
  CHECK(w.count(count_of("DECAY_TRIGGERED")) == 1);
  CHECK(w.count(count_of("PROMOTED")) == 2);
  CHECK(w.verified());
}
