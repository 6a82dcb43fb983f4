#include "openings.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::simulation;

TEST_CASE("an opening answers after its commit") {
  world w;
  const auto id = w.create(job(1));
  const auto p = w.send(id, by(1));
  CHECK(p->answers == 0);
  w.settle();
  REQUIRE(p->accepted());
  CHECK(p->get<opening::application_result>().status == opening::status::active);
  CHECK(w.count("select count(*) from applications") == 1);
  CHECK(w.count("select count(*) from journal") == 2);
  CHECK(w.verified());
}

TEST_CASE("what was answered is there after a crash") {
  world w;
  const auto id = w.create(job(1));
  w.ask(id, by(1));
  w.ask(id, by(2));
  w.crash();
  const auto p = w.ask(id, opening::show{});
  REQUIRE(p->accepted());
  CHECK(p->get<opening::job>().active_count == 1);
  CHECK(p->get<opening::job>().waitlist_count == 1);
  CHECK(p->get<opening::job>().version == 3);
}

TEST_CASE("an offer decays when its time is over, also after a crash, never early") {
  world w;
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

TEST_CASE("an idle actor leaves and comes back as it was") {
  world w;
  const auto id = w.create(job(2));
  w.ask(id, by(1));
  CHECK(w.node->occupied.residents == 1);
  w.pass(120s);
  CHECK(w.node->occupied.residents == 0);
  const auto p = w.ask(id, by(2));
  CHECK(p->accepted());
  CHECK(p->version == 3);
  CHECK(w.verified());
}

TEST_CASE("an opening that does not exist has no actor after its answer") {
  world w;
  CHECK(w.ask("77", by(1))->refused(code::not_found));
  CHECK(w.node->occupied.residents == 0);
}
