#include "tests/rules/story.hpp"

using namespace callboard;
using namespace callboard::tests;

namespace {

/// Two slots: bob is active in one; ada just let the offer of the other run out and cools. Nobody
/// else waits.
struct with_a_cooling_entry : story {
  with_a_cooling_entry() : story{slots(2)} {
    bob = applies(1);
    const auto gone = applies(2);
    ada = applies(3);
    accepts(leaving(gone));  // ada gets the offer
    pass(300s);
    REQUIRE(events_text() == "DECAY_TRIGGERED 3");
  }
  application_id ada, bob;
};

}  // namespace

TEST_CASE("who decayed is not offered the slot that the decay freed") {
  with_a_cooling_entry s;
  REQUIRE(s.status_of(s.ada) == status::waitlist);
  REQUIRE(s.accepts(show{}).active_count == 1);
  REQUIRE(s.last<decayed>().cools_until == s.now() + 300s);
  s.pass(300s - 1ms);
  REQUIRE(s.events_text().empty());
}

TEST_CASE("cooling ends after one acknowledgment window at the latest") {
  with_a_cooling_entry s;
  s.pass(300s);
  REQUIRE(s.events_text() == "PROMOTED 3");
  REQUIRE(s.shown_application(s.ada)->promoted_at == s.now());
}

TEST_CASE("cooling ends when somebody else frees a slot") {
  with_a_cooling_entry s;
  s.pass(10s);
  SECTION("an active one leaves") {
    s.accepts(leaving(s.bob));
    REQUIRE(s.events_text() == "WITHDRAWN 1, PROMOTED 3");
  }
  SECTION("one who took the free slot leaves it") {
    const auto cyd = s.applies(4);
    REQUIRE(s.events_text() == "APPLIED 4");
    REQUIRE(s.status_of(cyd) == status::active);
    s.accepts(leaving(cyd));
    REQUIRE(s.events_text() == "WITHDRAWN 4, PROMOTED 3");
  }
  SECTION("an offer is declined") {
    auto by_offer = update{};
    by_offer.offer_on_apply = true;
    s.accepts(by_offer);
    const auto cyd = s.applies(4);
    s.accepts(decline{cyd});
    REQUIRE(s.events_text() == "DECLINED 4, PROMOTED 3");
  }
  SECTION("another offer decays, and now that one cools") {
    auto by_offer = update{};
    by_offer.offer_on_apply = true;
    by_offer.ack_window_on_apply_s = 20;
    s.accepts(by_offer);
    s.applies(4);
    s.pass(20s);
    REQUIRE(s.events_text() == "DECAY_TRIGGERED 4, PROMOTED 3");
    REQUIRE(s.state().cooling->n == 4);
  }
}

TEST_CASE("cooling goes on when somebody leaves who held no slot") {
  story s{slots_by_offer(1)};
  s.applies(1);
  const auto bob = s.applies(2);
  s.pass(600s);  // 1 decays and bob is offered the slot
  s.accepts(acknowledge{bob});
  s.accepts(leaving(s.applies(3)));  // waited, held nothing
  REQUIRE(s.state().cooling->n == 1);
  s.accepts(leaving(bob));
  REQUIRE(s.events_text() == "WITHDRAWN 2, PROMOTED 1");
}

TEST_CASE("cooling ends when capacity is raised") {
  with_a_cooling_entry s;
  s.accepts(capacity_to(3));
  REQUIRE(s.events_text() == "JOB_UPDATED, PROMOTED 3");
}

TEST_CASE("cooling does not end when capacity is lowered or another setting changes") {
  with_a_cooling_entry s;
  s.accepts(window_to(60s));
  REQUIRE(s.events_text() == "JOB_UPDATED");
  s.accepts(capacity_to(1));  // bob holds the one slot
  REQUIRE(s.events_text() == "JOB_UPDATED");
  s.pass(300s);
  REQUIRE(s.events_text().empty());  // cooled, but the opening is full
  s.accepts(leaving(s.bob));
  REQUIRE(s.events_text() == "WITHDRAWN 1, PROMOTED 3");
}

TEST_CASE("a new applicant may take the slot a cooling entry left free") {
  with_a_cooling_entry s;
  REQUIRE(s.accepts(application_by(4)).status == status::active);
  REQUIRE(s.accepts(application_by(5)).status == status::waitlist);
  s.pass(1h);
  REQUIRE(s.events_text().empty());
  REQUIRE(s.status_of(s.ada) == status::waitlist);
}

TEST_CASE("once it has cooled it goes before any new applicant") {
  with_a_cooling_entry s;
  s.oversleep(300s);
  REQUIRE(s.accepts(application_by(4)).status == status::waitlist);
  REQUIRE(s.events_text() == "PROMOTED 3, APPLIED 4");
}

TEST_CASE("a cooling entry does not stand in the way of those behind it") {
  story s{slots_by_offer(2)};
  const auto ada = s.applies(1);
  s.pass(1s);
  const auto bob = s.applies(2);
  s.accepts(acknowledge{bob});
  s.pass(599s);  // ada decays; a slot is free
  REQUIRE(s.events_text() == "DECAY_TRIGGERED 1");
  const auto cyd = s.applies(3);  // takes it
  const auto dan = s.applies(4);  // overtakes ada
  const auto eve = s.applies(5);  // does not
  REQUIRE(s.waitlist() == std::vector{dan, ada, eve});
  s.accepts(leaving(cyd));
  REQUIRE(s.events_text() == "WITHDRAWN 3, PROMOTED 4");
  s.accepts(leaving(bob));
  REQUIRE(s.events_text() == "WITHDRAWN 2, PROMOTED 1");
}

TEST_CASE("with several free slots the cooling entry is passed over and the next behind it promoted") {
  story s{slots_by_offer(1)};
  const auto ada = s.applies(1);
  s.accepts(closing);
  s.pass(600s);  // ada decays while the opening is closed
  s.accepts(reopening);
  REQUIRE(s.events_text() == "JOB_UPDATED");  // reopening cools nobody
  s.applies(2);                               // takes the slot
  const auto cyd = s.applies(3);
  const auto dan = s.applies(4);
  REQUIRE(s.waitlist() == std::vector{cyd, ada, dan});
  s.accepts(closing);
  auto wider = capacity_to(3);
  wider.phase = phase::open;
  s.accepts(wider);  // a raise ends the cooling: ada is second in line
  REQUIRE(s.events_text() == "JOB_UPDATED, PROMOTED 3, PROMOTED 1");
}

TEST_CASE("cooling is judged by the window at the decay") {
  with_a_cooling_entry s;
  const bool longer = GENERATE(false, true);
  s.accepts(window_to(longer ? 1h : 1s));
  s.pass(300s - 1ms);
  REQUIRE(s.events_text().empty());
  s.pass(1ms);
  REQUIRE(s.events_text() == "PROMOTED 3");
}

TEST_CASE("a cooling entry that leaves cools no more") {
  with_a_cooling_entry s;
  s.accepts(leaving(s.ada));
  REQUIRE_FALSE(s.state().cooling);
  REQUIRE_FALSE(kind::deadline(s.state()));
  const auto again = s.applies(3);
  REQUIRE(s.status_of(again) == status::active);
}

TEST_CASE("a cooling entry is found again after a load from rows") {
  with_a_cooling_entry s;
  const auto loaded = s.store.load(job_7);
  REQUIRE(loaded.cooling == s.state().cooling);
  REQUIRE(kind::deadline(loaded) == s.now() + 300s);
}

TEST_CASE("a closed opening promotes nobody when the cooling is over, and reopening does") {
  with_a_cooling_entry s;
  s.accepts(closing);
  s.pass(1h);
  REQUIRE(s.events_text().empty());
  s.accepts(reopening);
  REQUIRE(s.events_text() == "JOB_UPDATED, PROMOTED 3");
}

TEST_CASE("of offers due together only the last to decay cools") {
  story s{slots_by_offer(3)};
  for (int who = 1; who <= 3; ++who)
    s.applies(who);
  s.pass(600s);
  // Each decay frees a slot for the one before; the last one waits for its own slot to cool.
  REQUIRE(s.events_text() == "DECAY_TRIGGERED 1, DECAY_TRIGGERED 2, PROMOTED 1, DECAY_TRIGGERED 3, PROMOTED 2");
  REQUIRE(s.state().cooling->n == 3);
  // Who decayed and was promoted in one decision rests as promoted.
  REQUIRE(s.row_of(application_of({job_7}, 1)).status == status::pending_acknowledgment);
  REQUIRE(s.row_of(application_of({job_7}, 3)).status == status::waitlist);
  s.pass(300s);
  // 3 has cooled when 1 and 2 run out together: first the free slot is filled.
  REQUIRE(s.events_text() == "PROMOTED 3, DECAY_TRIGGERED 1, DECAY_TRIGGERED 2, PROMOTED 1");
}
