#include "tests/rules/story.hpp"

using namespace callboard;
using namespace callboard::tests;
using Catch::Matchers::Contains;

namespace {

/// One slot, free; ada has the offer since now.
struct with_an_offer : story {
  with_an_offer() {
    const auto keeper = applies(1);
    ada = applies(2);
    accepts(leaving(keeper));
  }
  application_id ada;
};

}  // namespace

TEST_CASE("an offer is in time until just before its deadline") {
  with_an_offer s;
  SECTION("a millisecond before") {
    s.pass(300s - 1ms);
    REQUIRE(s.events_text().empty());
    s.accepts(acknowledge{s.ada});
    REQUIRE(s.status_of(s.ada) == status::active);
  }
  SECTION("at the deadline it is gone") {
    s.oversleep(300s);
    REQUIRE_THAT(s.refuses(code::gone, acknowledge{s.ada}).message, Contains("expired"));
    REQUIRE(s.status_of(s.ada) == status::waitlist);
  }
  SECTION("a decline at the deadline is too late as well") {
    s.oversleep(300s);
    s.refuses(code::gone, decline{s.ada});
  }
  SECTION("a withdrawal at the deadline meets who waits already") {
    s.oversleep(300s);
    s.accepts(leaving(s.ada));
    REQUIRE(s.events_text() == "DECAY_TRIGGERED 2, WITHDRAWN 2");
    REQUIRE(s.last<withdrawn>().from == status::waitlist);
  }
}

TEST_CASE("acknowledging an expired offer is refused with GONE even before anybody ticked") {
  with_an_offer s;
  s.oversleep(300s);
  const auto answer = s.decides(acknowledge{s.ada});
  REQUIRE(std::get<refusal>(answer).what == code::gone);
}

TEST_CASE("a tick before the deadline does nothing") {
  with_an_offer s;
  s.oversleep(300s - 1ms);
  const auto before = s.state();
  s.decides(tick{});
  REQUIRE(s.state() == before);
  REQUIRE(kind::deadline(s.state()) == s.now() + 1ms);
}

TEST_CASE("a decay puts the applicant back into the line with a penalty") {
  with_an_offer s;
  s.applies(3);
  s.applies(4);
  s.pass(300s);
  REQUIRE(s.events_text() == "DECAY_TRIGGERED 2, PROMOTED 3");
  const auto e = s.last<decayed>();
  REQUIRE(e.penalty_count == 1);
  REQUIRE(e.new_position == 3);  // behind both who waited when it happened
  REQUIRE(e.rank == 3 + 1 + 1);
  const auto shown = s.shown_application(s.ada).value();
  REQUIRE(shown.status == status::waitlist);
  REQUIRE(shown.position == 2);
  REQUIRE(shown.penalty_count == 1);
  REQUIRE_FALSE(shown.promoted_at);
  REQUIRE_FALSE(shown.acknowledge_deadline);
  REQUIRE(shown.in_state_s == 0);
  const auto row = s.row_of(s.ada);
  REQUIRE(row.status == status::waitlist);
  REQUIRE(row.penalty == 1);
  REQUIRE(row.rank == e.rank);
  REQUIRE_FALSE(row.promoted_at);
  REQUIRE_FALSE(row.deadline);
}

TEST_CASE("each decay adds to the penalty") {
  with_an_offer s;
  for (std::int64_t penalty = 1; penalty <= 4; ++penalty) {
    s.pass(300s);  // decays, and cools
    REQUIRE(s.events_text() == "DECAY_TRIGGERED 2");
    REQUIRE(s.last<decayed>().penalty_count == penalty);
    REQUIRE(s.last<decayed>().rank == 1 + 1 + penalty);  // tail is 1, nobody else waits
    s.pass(300s);                                        // has cooled
    REQUIRE(s.events_text() == "PROMOTED 2");
  }
  REQUIRE(s.accepts(show_summary{}).decay_events == 4);
  s.accepts(acknowledge{s.ada});
  REQUIRE(s.shown_application(s.ada)->penalty_count == 4);
}

TEST_CASE("an event's time is when it was decided, not when it was due") {
  with_an_offer s;
  s.applies(3);
  s.oversleep(1h);
  s.wakes_up();
  REQUIRE(s.events_text() == "DECAY_TRIGGERED 2, PROMOTED 3");
  REQUIRE(s.journal.back().at == dawn + 1h);
  REQUIRE(s.last<promoted>().acknowledge_deadline == dawn + 1h + 300s);
  REQUIRE(s.last<decayed>().cools_until == dawn + 1h + 300s);
}

TEST_CASE("what is due is decided before a question is answered") {
  with_an_offer s;
  s.oversleep(300s);
  const auto shown = s.accepts(show_pipeline{});
  REQUIRE(shown.active.empty());
  REQUIRE(shown.waitlist.size() == 1);
  REQUIRE(s.count<decayed>() == 1);
}

TEST_CASE("offers due together decay one by one by deadline, then by application, each with its "
          "cascade") {
  story s{slots_by_offer(3)};
  auto sooner = update{};
  sooner.ack_window_on_apply_s = 500;
  s.applies(1);  // due after 600 s
  s.applies(2);  // due after 600 s
  s.accepts(sooner);
  s.applies(3);  // due after 500 s
  s.applies(4);
  s.oversleep(700s);
  s.wakes_up();
  // 3 decays first and 4 gets the slot; 1 decays and frees a slot for 3, who cools no more; 2
  // decays for 1.
  REQUIRE(s.events_text() == "DECAY_TRIGGERED 3, PROMOTED 4, DECAY_TRIGGERED 1, PROMOTED 3, "
                             "DECAY_TRIGGERED 2, PROMOTED 1");
  REQUIRE(s.waitlist() == std::vector{application_of({job_7}, 2)});
}

TEST_CASE("a changed window acts on later offers only") {
  story s;
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  const auto cyd = s.applies(3);
  s.accepts(leaving(ada));
  const auto before = s.shown_application(bob)->acknowledge_deadline;
  s.accepts(window_to(60s));
  REQUIRE(s.events_text() == "JOB_UPDATED");
  REQUIRE(s.shown_application(bob)->acknowledge_deadline == before);
  s.pass(299s);
  REQUIRE(s.status_of(bob) == status::pending_acknowledgment);
  s.pass(1s);
  REQUIRE(s.shown_application(cyd)->acknowledge_deadline == s.now() + 60s);
}

TEST_CASE("offerOnApply and its window can be changed for those who come later") {
  story s{slots(5)};
  REQUIRE(s.accepts(application_by(1)).status == status::active);
  auto u = update{};
  u.offer_on_apply = true;
  s.accepts(u);
  REQUIRE(s.accepts(application_by(2)).acknowledge_deadline == s.now() + 600s);
  u = update{};
  u.ack_window_on_apply_s = 1;
  s.accepts(u);
  REQUIRE(s.accepts(application_by(3)).acknowledge_deadline == s.now() + 1s);
  u = update{};
  u.offer_on_apply = false;
  s.accepts(u);
  REQUIRE(s.accepts(application_by(4)).status == status::active);
  REQUIRE(s.accepts(show{}).active_count == 4);
}

TEST_CASE("the next deadline is known after a load from rows") {
  with_an_offer s;
  REQUIRE(kind::deadline(s.state()) == s.now() + 300s);
  REQUIRE(kind::deadline(s.store.load(job_7)) == s.now() + 300s);
  s.pass(300s);
  REQUIRE(kind::deadline(s.state()) == s.now() + 300s);  // when ada has cooled
  REQUIRE(kind::deadline(s.store.load(job_7)) == s.now() + 300s);
}
