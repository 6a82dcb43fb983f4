#include "tests/store/backends.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::sample;
using namespace callboard::simulation;

namespace {

/// The other counter cannot be reached: what it would answer is said by the test.
void times_out(actors::request& r) { r.time_limit = -1ms; }

}  // namespace

TEST_CASE("the sample kind refuses what its rules refuse") {
  world w;
  const auto id = w.create(10);
  CHECK(w.ask("404", add{1})->refused(code::not_found));
  CHECK(w.ask(id, create{3})->refused(code::conflict));
  CHECK(w.ask(id, add{11})->refused(code::conflict));
  CHECK(w.ask(id, take{1, 0})->refused(code::conflict));
  CHECK(w.ask(id, clear_deadline{})->refused(code::gone));
  CHECK(w.ask(id, claim_name{"ada", {}})->accepted());
  CHECK(w.ask(id, claim_name{"eve", {}})->refused(code::conflict));
  CHECK(w.count("select count(*) from journal") == 2);
  CHECK(w.verified());
}

TEST_CASE("an ask stays until its answer was heard") {
  world w;
  w.on_send = times_out;
  const auto id = w.create(10);
  CHECK(counter_in(w.ask(id, ask_other{"b", 3})).unanswered == 1);
  CHECK(counter_in(w.ask(id, ask_other{"b", 4})).unanswered == 2);
  CHECK(w.text("select id from sample_asks where n = 3") == id + "/1");
  CHECK(w.text("select id from sample_asks where n = 4") == id + "/2");
  w.crash();
  CHECK(counter_in(w.ask(id, heard{id + "/1", true})).unanswered == 1);
  const auto again = w.ask(id, heard{id + "/1", true});
  CHECK(counter_in(again).unanswered == 1);
  CHECK(w.events_of(*again) == 0);
  CHECK(w.count("select count(*) from sample_asks") == 1);
  CHECK(w.verified());
}

TEST_CASE("what was received once changes nothing when it comes again") {
  world w;
  const auto id = w.create(10);
  CHECK(sum_in(w.ask(id, receive{"a", "a/1", 4})) == 4);
  const bool crashes = GENERATE(false, true);
  if (crashes)
    w.crash();
  const auto again = w.ask(id, receive{"a", "a/1", 4});
  CHECK(sum_in(again) == 4);
  CHECK(w.events_of(*again) == 0);
  CHECK(w.ask(id, receive{"a", "a/2", 7})->refused(code::conflict));
  CHECK(w.count("select count(*) from sample_received") == 1);
  CHECK(w.verified());
}

TEMPLATE_TEST_CASE("a counter lives the same life on every store", "", test::memory, test::file, test::postgres) {
  TestType on;
  world w{persistence::make_store(on.url())};
  w.on_send = times_out;
  const auto id = w.create(10);
  const auto other = w.create(10);
  CHECK(sum_in(w.ask(id, add{4}, "key")) == 4);
  CHECK(w.ask(id, add{4}, "key")->replayed());
  const auto waits = w.send(id, take{5, 1'000});
  w.ask(id, add{3});
  REQUIRE(waits->accepted());
  CHECK(sum_in(waits) == 2);
  const auto one = w.send(id, claim_name{"ada", {}});
  const auto two = w.send(other, claim_name{"ada", {}});
  w.settle();
  CHECK(one->accepted() + two->accepted() == 1);
  CHECK(one->refused(code::conflict) + two->refused(code::conflict) == 1);
  w.ask(id, ask_other{other, 1});
  w.ask(other, receive{id, id + "/1", 1});
  w.ask(id, heard{id + "/1", true});
  w.ask(id, ask_other{other, 2});
  w.ask(id, set_deadline{60'000});
  w.crash();
  const auto loaded = w.read(id);
  REQUIRE(loaded->accepted());
  CHECK(sum_in(loaded) == 2);
  CHECK(counter_in(loaded).unanswered == 1);
  CHECK(counter_in(loaded).deadline);
  CHECK((counter_in(loaded).name == "ada") == one->accepted());
  CHECK(w.ask(other, receive{id, id + "/1", 1})->version == w.read(other)->version);
  CHECK(sum_in(w.read(other)) == 1);
  w.pass(61s);
  CHECK(w.stored_sum(id) == 0);
  CHECK(w.count(count_of("EXPIRED")) == 1);
  std::string why;
  const bool clean = w.verified(&why);
  INFO(why);
  CHECK(clean);
}
