#include "tests/rules/story.hpp"

using namespace callboard;
using namespace callboard::tests;
using Catch::Matchers::Contains;

TEST_CASE("an opening begins open, with the default policy") {
  story s{slots(3)};
  REQUIRE(s.events_text() == "JOB_CREATED");
  const auto shown = s.accepts(show{});
  REQUIRE(shown.id.value == job_7);
  REQUIRE(shown.title == "Stage manager");
  REQUIRE_FALSE(shown.description);
  REQUIRE(shown.capacity == 3);
  REQUIRE(shown.ack_window_s == 300);
  REQUIRE_FALSE(shown.offer_on_apply);
  REQUIRE(shown.ack_window_on_apply_s == 600);
  REQUIRE(shown.phase == phase::open);
  REQUIRE_FALSE(shown.owner);
  REQUIRE(shown.created_at == dawn);
  REQUIRE(shown.active_count == 0);
  REQUIRE(shown.waitlist_count == 0);
  REQUIRE(shown.version == 1);
}

TEST_CASE("an opening takes the policy it was created with") {
  auto c = slots_by_offer(1);
  c.description = "Cues and calls";
  c.ack_window_s = 1;
  c.ack_window_on_apply_s = 2'592'000;
  story s{c};
  const auto shown = s.accepts(show{});
  REQUIRE(shown.description == "Cues and calls");
  REQUIRE(shown.ack_window_s == 1);
  REQUIRE(shown.offer_on_apply);
  REQUIRE(shown.ack_window_on_apply_s == 2'592'000);
}

TEST_CASE("an opening is created once") {
  story s;
  s.refuses(code::conflict, slots(2));
}

TEST_CASE("a change that changes nothing is answered and leaves no event") {
  story s;
  const auto before = s.accepts(show{});
  auto same = update{};
  SECTION("nothing is said") {}
  SECTION("everything is said again") {
    same.title = before.title;
    same.description = std::optional<std::string>{};
    same.capacity = before.capacity;
    same.ack_window_s = before.ack_window_s;
    same.offer_on_apply = before.offer_on_apply;
    same.ack_window_on_apply_s = before.ack_window_on_apply_s;
    same.phase = before.phase;
  }
  const auto after = s.accepts(same);
  REQUIRE(s.events_text().empty());
  REQUIRE(after.version == before.version);
  REQUIRE(to_json(after) == to_json(before));
}

TEST_CASE("each setting can be changed alone and the event tells all of them") {
  story s{slots(2)};
  auto u = update{};
  SECTION("title") {
    u.title = "Prompter";
    REQUIRE(s.accepts(u).title == "Prompter");
    REQUIRE(s.last<updated>().title == "Prompter");
    REQUIRE(s.last<updated>().capacity == 2);
  }
  SECTION("description") {
    u.description = "Whispers";
    REQUIRE(s.accepts(u).description == "Whispers");
    REQUIRE(s.last<updated>().description == "Whispers");
  }
  SECTION("capacity") {
    u.capacity = 9;
    REQUIRE(s.accepts(u).capacity == 9);
    REQUIRE(s.last<updated>().title == "Stage manager");
  }
  SECTION("windows") {
    u.ack_window_s = 11;
    u.ack_window_on_apply_s = 12;
    const auto shown = s.accepts(u);
    REQUIRE(shown.ack_window_s == 11);
    REQUIRE(shown.ack_window_on_apply_s == 12);
  }
  SECTION("offerOnApply") {
    u.offer_on_apply = true;
    REQUIRE(s.accepts(u).offer_on_apply);
  }
  SECTION("status") {
    REQUIRE(s.accepts(closing).phase == phase::closed);
    REQUIRE(s.last<updated>().phase == phase::closed);
  }
  REQUIRE(s.events_text() == "JOB_UPDATED");
  REQUIRE(s.accepts(show{}).version == 2);
  REQUIRE(s.store.load(job_7) == s.state());
}

TEST_CASE("a description that is null is cleared, one that is absent stays") {
  auto c = slots(1);
  c.description = "Cues";
  story s{c};
  auto u = update{};
  u.title = "Prompter";
  REQUIRE(s.accepts(u).description == "Cues");
  u = update{};
  u.description = std::optional<std::string>{};
  REQUIRE_FALSE(s.accepts(u).description);
  REQUIRE_FALSE(s.last<updated>().description);
}

TEST_CASE("the version counts events") {
  story s;
  const auto ada = s.applies(1);
  s.applies(2);
  s.accepts(leaving(ada));  // and a promotion
  REQUIRE(s.accepts(show{}).version == 5);
  REQUIRE(s.version() == 5);
  REQUIRE(s.store.counts(job_7).version == 5);
  s.pass(10s);  // what only ages changes no version
  REQUIRE(s.accepts(show{}).version == 5);
}

TEST_CASE("a closed opening takes no applications") {
  story s{slots(5)};
  s.accepts(closing);
  REQUIRE_THAT(s.refuses(code::opening_closed, application_by(1)).message, Contains("closed"));
  s.accepts(reopening);
  REQUIRE(s.accepts(application_by(1)).status == status::active);
}

TEST_CASE("while an opening is closed its offers stay valid") {
  story s;
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  s.accepts(leaving(ada));
  s.accepts(closing);
  s.pass(200s);
  s.accepts(acknowledge{bob});
  REQUIRE(s.status_of(bob) == status::active);
}

TEST_CASE("while an opening is closed offers that run out decay and nobody is promoted") {
  story s;
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  const auto cyd = s.applies(3);
  s.accepts(leaving(ada));
  s.accepts(closing);
  s.pass(300s);
  REQUIRE(s.events_text() == "DECAY_TRIGGERED 2");
  s.refuses(code::gone, acknowledge{bob});
  s.accepts(capacity_to(4));
  REQUIRE(s.events_text() == "JOB_UPDATED");
  s.pass(1h);
  REQUIRE(s.events_text().empty());
  REQUIRE_FALSE(kind::deadline(s.state()));
  s.accepts(reopening);
  REQUIRE(s.events_text() == "JOB_UPDATED, PROMOTED 3, PROMOTED 2");
  REQUIRE(s.waitlist().empty());
  REQUIRE(s.shown_application(cyd)->acknowledge_deadline == s.now() + 300s);
}

TEST_CASE("while an opening is closed who leaves is not replaced until it opens") {
  story s;
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  s.accepts(closing);
  s.accepts(leaving(ada));
  REQUIRE(s.events_text() == "WITHDRAWN 1");
  REQUIRE(s.status_of(bob) == status::waitlist);
  s.accepts(reopening);
  REQUIRE(s.events_text() == "JOB_UPDATED, PROMOTED 2");
}

TEST_CASE("closing and raising at once promotes nobody") {
  story s;
  s.applies(1);
  s.applies(2);
  auto u = capacity_to(2);
  u.phase = phase::closed;
  s.accepts(u);
  REQUIRE(s.events_text() == "JOB_UPDATED");
}
