#include "tests/rules/story.hpp"

using namespace callboard;
using namespace callboard::tests;
using Catch::Matchers::Contains;

TEST_CASE("a free slot is taken at once and the rest wait in the order they came") {
  story s{slots(2)};
  const auto first = s.accepts(application_by(1));
  REQUIRE(first.status == status::active);
  REQUIRE(first.position == std::nullopt);
  REQUIRE(first.acknowledge_deadline == std::nullopt);
  REQUIRE_THAT(first.message, Contains("active"));
  s.applies(2);
  const auto third = s.accepts(application_by(3));
  REQUIRE(third.status == status::waitlist);
  REQUIRE(third.position == 1);
  REQUIRE_THAT(third.message, Contains("waitlist at position 1"));
  const auto fourth = s.accepts(application_by(4));
  REQUIRE(fourth.position == 2);
  REQUIRE_THAT(fourth.message, Contains("waitlist at position 2"));
  REQUIRE(s.waitlist() == std::vector{third.application, fourth.application});
}

TEST_CASE("an application's id is the opening times ten million plus its number") {
  story s;
  REQUIRE(s.applies(1).value == 70'000'001);
  REQUIRE(s.applies(2).value == 70'000'002);
  REQUIRE(opening_of({70'000'002}).value == 7);
  REQUIRE(ordinal_of({70'000'002}) == 2);
  REQUIRE(application_of({opening_id_max}, applications_per_opening - 1).value <= id_max);
}

TEST_CASE("what an application is told at first is one APPLIED event") {
  SECTION("active") {
    story s;
    s.applies(1);
    const auto e = s.last<applied>();
    REQUIRE(e.status == status::active);
    REQUIRE(e.applicant.value == 1);
    REQUIRE_FALSE(e.position);
    REQUIRE_FALSE(e.rank);
    REQUIRE_FALSE(e.acknowledge_deadline);
    REQUIRE(s.events_text() == "APPLIED 1");
  }
  SECTION("waiting") {
    story s;
    s.applies(1);
    s.applies(2);
    s.applies(3);
    const auto e = s.last<applied>();
    REQUIRE(e.status == status::waitlist);
    REQUIRE(e.position == 2);
    REQUIRE(e.rank == 2);
    REQUIRE_FALSE(e.acknowledge_deadline);
    REQUIRE(s.events_text() == "APPLIED 3");
  }
}

TEST_CASE("with offerOnApply a free slot is an offer to acknowledge") {
  story s{slots_by_offer(1)};
  s.pass(90s);
  const auto ada = s.accepts(application_by(1));
  REQUIRE(s.events_text() == "APPLIED 1");
  REQUIRE(ada.status == status::pending_acknowledgment);
  REQUIRE(ada.acknowledge_deadline == s.now() + 600s);
  REQUIRE(ada.position == std::nullopt);
  REQUIRE_THAT(ada.message, Contains("promoted") && Contains("within 10 minutes"));
  const auto e = s.last<applied>();
  REQUIRE(e.acknowledge_deadline == s.now() + 600s);
  REQUIRE_FALSE(e.position);
  const auto shown = s.shown_application(ada.application).value();
  REQUIRE(shown.promoted_at == shown.applied_at);

  SECTION("it counts as no promotion") {
    s.accepts(acknowledge{ada.application});
    const auto sum = s.accepts(show_summary{});
    REQUIRE_FALSE(sum.avg_time_to_promotion_s);
    REQUIRE(s.state().promotions.empty());
    REQUIRE(s.state().promotion_count == 0);
  }
  SECTION("its acknowledgment counts") {
    s.pass(30s);
    s.accepts(acknowledge{ada.application});
    REQUIRE(s.accepts(show_summary{}).avg_acknowledgment_time_s == Approx(30.0));
  }
  SECTION("who waits behind it gets the ordinary window") {
    const auto bob = s.applies(2);
    s.accepts(decline{ada.application});
    REQUIRE(s.events_text() == "DECLINED 1, PROMOTED 2");
    REQUIRE(s.shown_application(bob)->acknowledge_deadline == s.now() + 300s);
  }
  SECTION("it decays like any other") {
    s.pass(600s);
    REQUIRE(s.events_text() == "DECAY_TRIGGERED 1");
    REQUIRE(s.status_of(ada.application) == status::waitlist);
  }
}

TEST_CASE("minutes in a message are rounded up") {
  const auto window = GENERATE(1, 59, 60, 61, 120, 121, 2'592'000);
  auto c = slots_by_offer(1);
  c.ack_window_on_apply_s = window;
  story s{c};
  const auto n = window / 60 + (window % 60 ? 1 : 0);
  REQUIRE_THAT(s.accepts(application_by(1)).message, Contains("within " + std::to_string(n) + " minutes"));
}

TEST_CASE("whatever frees a slot promotes the next in the same decision") {
  story s{slots_by_offer(1)};
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  SECTION("an active one leaves") {
    s.accepts(acknowledge{ada});
    s.accepts(leaving(ada));
    REQUIRE(s.events_text() == "WITHDRAWN 1, PROMOTED 2");
  }
  SECTION("a pending one leaves") {
    s.accepts(leaving(ada));
    REQUIRE(s.events_text() == "WITHDRAWN 1, PROMOTED 2");
  }
  SECTION("an offer is declined") {
    s.accepts(decline{ada});
    REQUIRE(s.events_text() == "DECLINED 1, PROMOTED 2");
  }
  SECTION("an offer decays") {
    s.pass(600s);
    REQUIRE(s.events_text() == "DECAY_TRIGGERED 1, PROMOTED 2");
  }
  const auto shown = s.shown_application(bob).value();
  REQUIRE(shown.status == status::pending_acknowledgment);
  REQUIRE(shown.promoted_at == s.now());
  REQUIRE(shown.acknowledge_deadline == s.now() + 300s);
  REQUIRE(s.last<promoted>().acknowledge_deadline == s.now() + 300s);
}

TEST_CASE("who waits and leaves frees no slot") {
  story s;
  s.applies(1);
  const auto bob = s.applies(2);
  const auto cyd = s.applies(3);
  s.accepts(leaving(bob));
  REQUIRE(s.events_text() == "WITHDRAWN 2");
  REQUIRE(s.waitlist() == std::vector{cyd});
  REQUIRE(s.shown_application(cyd)->position == 1);
}

TEST_CASE("an acknowledged offer keeps when it was promoted and has no deadline any more") {
  story s;
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  s.accepts(leaving(ada));
  const auto promoted_at = s.now();
  s.pass(100s);
  const auto answer = s.accepts(acknowledge{bob});
  REQUIRE(s.events_text() == "ACKNOWLEDGED 2");
  REQUIRE_THAT(answer.message, Contains("acknowledged"));
  const auto shown = s.shown_application(bob).value();
  REQUIRE(shown.status == status::active);
  REQUIRE(shown.promoted_at == promoted_at);
  REQUIRE_FALSE(shown.acknowledge_deadline);
  REQUIRE(s.row_of(bob).promoted_at == promoted_at);
  s.pass(1h);  // nothing is due any more
  REQUIRE(s.events_text().empty());
}

TEST_CASE("withdraw and decline clear the promotion and its deadline") {
  story s;
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  s.accepts(leaving(ada));
  const bool declines = GENERATE(false, true);
  const auto message = declines ? s.accepts(decline{bob}).message : s.accepts(leaving(bob)).message;
  REQUIRE_THAT(message, Contains(declines ? "declined" : "withdrawn"));
  REQUIRE(s.row_of(bob).status == status::inactive);
  REQUIRE_FALSE(s.row_of(bob).promoted_at);
  REQUIRE_FALSE(s.row_of(bob).deadline);
  REQUIRE_FALSE(s.row_of(bob).rank);
}

TEST_CASE("a raised capacity promotes at once, as many as fit") {
  story s{slots(1)};
  s.applies(1);
  for (int who = 2; who <= 6; ++who)
    s.applies(who);
  s.accepts(capacity_to(4));
  REQUIRE(s.events_text() == "JOB_UPDATED, PROMOTED 2, PROMOTED 3, PROMOTED 4");
  const auto shown = s.accepts(show{});
  REQUIRE(shown.active_count == 4);
  REQUIRE(shown.waitlist_count == 2);
  s.accepts(capacity_to(100));
  REQUIRE(s.events_text() == "JOB_UPDATED, PROMOTED 5, PROMOTED 6");
}

TEST_CASE("a lowered capacity evicts nobody and fills no slot until there is room") {
  story s{slots(3)};
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  const auto cyd = s.applies(3);
  s.applies(4);
  s.accepts(capacity_to(1));
  REQUIRE(s.events_text() == "JOB_UPDATED");
  REQUIRE(s.accepts(show{}).active_count == 3);
  s.accepts(leaving(ada));
  REQUIRE(s.events_text() == "WITHDRAWN 1");
  s.accepts(leaving(bob));
  REQUIRE(s.events_text() == "WITHDRAWN 2");
  REQUIRE(s.accepts(application_by(5)).status == status::waitlist);
  s.accepts(leaving(cyd));
  REQUIRE(s.events_text() == "WITHDRAWN 3, PROMOTED 4");
}

TEST_CASE("an offer above a lowered capacity stays valid") {
  story s{slots_by_offer(2)};
  s.applies(1);
  const auto bob = s.applies(2);
  s.applies(3);
  s.accepts(capacity_to(1));
  s.accepts(acknowledge{bob});
  s.pass(600s);
  REQUIRE(s.events_text() == "DECAY_TRIGGERED 1");  // bob holds the only slot
  REQUIRE(s.accepts(show{}).active_count == 1);
}

TEST_CASE("a new applicant's row travels with the application and with nothing else") {
  story s;
  auto c = application_by(9);
  c.person = std::make_shared<const applicant_row>(applicant_row{{9}, "Ada", "ada@example.org", dawn});
  s.accepts(c);
  REQUIRE(s.extra_rows.size() == 1);
  REQUIRE(s.extra_rows[0].in->name == "applicants");
  s.refuses(code::duplicate_submission, c);
  REQUIRE(s.extra_rows.empty());
  s.accepts(closing);
  c.applicant = {10};
  s.refuses(code::opening_closed, c);
  REQUIRE(s.extra_rows.empty());
}
