#include "tests/rules/story.hpp"

using namespace callboard;
using namespace callboard::tests;

TEST_CASE("newcomers get the ranks above tail, one by one") {
  story s;
  s.applies(1);
  for (std::int64_t who = 2; who <= 5; ++who)
    REQUIRE(s.rank_of(s.applies(who)) == who - 1);
  REQUIRE(s.state().tail == 4);
}

TEST_CASE("tail never falls, whoever leaves") {
  story s;
  s.applies(1);
  const auto bob = s.applies(2);
  const auto cyd = s.applies(3);
  s.accepts(leaving(cyd));
  s.accepts(leaving(bob));
  REQUIRE(s.state().tail == 2);
  REQUIRE(s.rank_of(s.applies(4)) == 3);
}

TEST_CASE("tail survives a load from rows") {
  story s;
  s.applies(1);
  s.accepts(leaving(s.applies(2)));
  REQUIRE(s.store.load(job_7).tail == 1);
}

TEST_CASE("a decayed entry is overtaken by as many newcomers as its penalty when nobody decayed "
          "before it") {
  const auto penalty = GENERATE(1, 2, 3);
  story s{slots_by_offer(1)};
  const auto ada = s.applies(1);
  s.pass(600s);
  for (int round = 1; round < penalty; ++round)
    s.pass(600s);  // cools, is offered the slot again, decays again
  REQUIRE(s.shown_application(ada)->penalty_count == penalty);
  s.applies(100);  // takes the free slot: it was left by the one who cools
  for (int new_applicant = 1; new_applicant <= 5; ++new_applicant)
    s.applies(100 + new_applicant);
  REQUIRE(s.shown_application(ada)->position == penalty + 1);
}

TEST_CASE("a new applicant passes over a rank that a decayed entry holds") {
  story s{slots_by_offer(1)};
  const auto ada = s.applies(1);
  s.pass(600s);
  REQUIRE(s.rank_of(ada) == 0 + 1 + 1);  // tail is 0
  s.applies(2);                          // takes the free slot
  REQUIRE(s.rank_of(s.applies(3)) == 1);
  const auto dan = s.applies(4);
  REQUIRE(s.rank_of(dan) == 3);  // 2 is ada's
  REQUIRE(s.state().tail == 3);
  REQUIRE(s.shown_application(dan)->position == 3);
}

TEST_CASE("a decayed entry goes behind everybody who waits, also behind those who decayed before") {
  story s{slots_by_offer(2)};
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  const auto cyd = s.applies(3);
  const auto dan = s.applies(4);
  s.pass(600s);
  // ada: max(2, 2) + 2 = 4; cyd is promoted. bob: max(2, 4) + 2 = 6; dan is promoted.
  REQUIRE(s.rank_of(ada) == 4);
  REQUIRE(s.rank_of(bob) == 6);
  REQUIRE(s.waitlist() == std::vector{ada, bob});
  s.accepts(acknowledge{cyd});
  s.pass(300s);  // dan decays, ada is promoted
  REQUIRE(s.events_text() == "DECAY_TRIGGERED 4, PROMOTED 1");
  REQUIRE(s.rank_of(dan) == 6 + 1 + 1);
  REQUIRE(s.waitlist() == std::vector{bob, dan});
}

TEST_CASE("a rank that a decay gave does not raise tail") {
  story s{slots_by_offer(1)};
  s.applies(1);
  s.pass(600s);
  REQUIRE(s.state().tail == 0);
}

TEST_CASE("ranks are never renumbered, shown positions have no gaps") {
  story s;
  s.applies(1);
  const auto bob = s.applies(2);
  const auto cyd = s.applies(3);
  const auto dan = s.applies(4);
  const auto eve = s.applies(5);
  s.accepts(leaving(cyd));
  REQUIRE(s.rank_of(bob) == 1);
  REQUIRE(s.rank_of(dan) == 3);
  REQUIRE(s.rank_of(eve) == 4);
  const auto shown = s.accepts(show_queue{}).waitlist;
  REQUIRE(shown.size() == 3);
  REQUIRE(shown[0].position == 1);
  REQUIRE(shown[1].position == 2);
  REQUIRE(shown[1].application == dan);
  REQUIRE(shown[2].position == 3);
  REQUIRE(s.shown_application(eve)->position == 3);
}
