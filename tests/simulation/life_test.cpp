#include "world.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::sample;
using namespace callboard::simulation;

TEST_CASE("an entity answers after its commit") {
  world w;
  const auto id = w.create();
  const auto p = w.send(id, add{1});
  CHECK(p->answers == 0);
  w.settle();
  REQUIRE(p->accepted());
  CHECK(sum_in(p) == 1);
  CHECK(w.stored_sum(id) == 1);
  CHECK(w.count("select count(*) from journal") == 2);
  CHECK(w.verified());
}

TEST_CASE("what was answered is there after a crash") {
  world w;
  const auto id = w.create();
  w.ask(id, add{1});
  w.ask(id, add{1});
  w.crash();
  const auto p = w.read(id);
  REQUIRE(p->accepted());
  CHECK(sum_in(p) == 2);
  CHECK(p->version == 3);
}

TEST_CASE("a deadline comes when its time is over, also after a crash, never early") {
  world w;
  const auto id = w.create();
  w.ask(id, add{1});
  w.ask(id, set_deadline{60'000});
  const bool crashes = GENERATE(false, true);
  if (crashes)
    w.crash();
  w.pass(59'999ms);
  CHECK(w.count(count_of("EXPIRED")) == 0);
  w.pass(2ms);
  CHECK(w.count(count_of("EXPIRED")) == 1);
  CHECK(w.stored_sum(id) == 0);
  CHECK(w.verified());
}

TEST_CASE("an idle actor leaves and comes back as it was") {
  world w;
  const auto id = w.create();
  w.ask(id, add{1});
  CHECK(w.node->occupied.residents == 1);
  w.pass(120s);
  CHECK(w.node->occupied.residents == 0);
  const auto p = w.ask(id, add{1});
  CHECK(p->accepted());
  CHECK(p->version == 3);
  CHECK(w.verified());
}

TEST_CASE("an entity that does not exist has no actor after its answer") {
  world w;
  CHECK(w.ask("77", add{1})->refused(code::not_found));
  CHECK(w.node->occupied.residents == 0);
}
