#include "tests/rules/story.hpp"

using namespace callboard;
using namespace callboard::tests;

TEST_CASE("a pipeline shows live ones by time of application and waiting ones in line") {
  story s{slots(2)};
  const auto ada = s.applies(1);
  s.pass(1s);
  const auto bob = s.applies(2);
  s.pass(1s);
  const auto cyd = s.applies(3);
  const auto dan = s.applies(4);
  s.accepts(leaving(ada));
  const auto shown = s.accepts(show_pipeline{});
  REQUIRE(shown.job.active_count == 2);
  REQUIRE(shown.job.waitlist_count == 1);
  REQUIRE(shown.active.size() == 2);
  REQUIRE(shown.active[0].application == bob);
  REQUIRE(shown.active[0].status == status::active);
  REQUIRE(shown.active[0].applied_at == dawn + 1s);
  REQUIRE_FALSE(shown.active[0].position);
  REQUIRE_FALSE(shown.active[0].promoted_at);
  REQUIRE(shown.active[1].application == cyd);
  REQUIRE(shown.active[1].status == status::pending_acknowledgment);
  REQUIRE(shown.active[1].promoted_at == s.now());
  REQUIRE(shown.active[1].acknowledge_deadline == s.now() + 300s);
  REQUIRE_FALSE(shown.active[1].position);
  REQUIRE(shown.waitlist.size() == 1);
  REQUIRE(shown.waitlist[0].application == dan);
  REQUIRE(shown.waitlist[0].applicant.value == 4);
  REQUIRE(shown.waitlist[0].position == 1);
  REQUIRE_FALSE(shown.next);
}

TEST_CASE("a late promotion keeps the order of applying") {
  story s{slots(2)};
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  const auto cyd = s.applies(3);
  s.accepts(leaving(ada));
  s.accepts(leaving(bob));
  const auto dan = s.applies(4);
  s.accepts(acknowledge{cyd});
  const auto shown = s.accepts(show_pipeline{}).active;
  REQUIRE(shown.size() == 2);
  REQUIRE(shown[0].application == cyd);
  REQUIRE(shown[1].application == dan);
}

TEST_CASE("pages of a pipeline hold everybody once, with the positions of the whole line") {
  story s{slots(7)};
  for (int who = 1; who <= 30; ++who)
    s.applies(who);
  s.accepts(leaving(application_of({job_7}, 12)));
  const auto whole = s.accepts(show_pipeline{});
  REQUIRE(whole.active.size() == 7);
  REQUIRE(whole.waitlist.size() == 22);
  const auto limit = GENERATE(1, 2, 5, 7, 22, 23);
  std::string active;
  std::string waiting;
  int pages = 0;
  for (std::optional<cursor> at = cursor{}; at; ++pages) {
    REQUIRE(pages < 30);
    const auto page = s.accepts(show_pipeline{limit, *at});
    REQUIRE(page.job.active_count == 7);  // counts are always whole
    REQUIRE(page.job.waitlist_count == 22);
    REQUIRE(page.waitlist.size() <= static_cast<std::size_t>(limit));
    for (const auto& e : page.active)
      active += to_json(e);
    for (const auto& e : page.waitlist)
      waiting += to_json(e);
    at = page.next;
  }
  std::string all_active;
  std::string all_waiting;
  for (const auto& e : whole.active)
    all_active += to_json(e);
  for (const auto& e : whole.waitlist)
    all_waiting += to_json(e);
  REQUIRE(active == all_active);
  REQUIRE(waiting == all_waiting);
  REQUIRE(pages == (22 + limit - 1) / limit);
}

TEST_CASE("pages of a queue hold everybody once, with the positions of the whole line") {
  story s{slots(1)};
  for (int who = 1; who <= 11; ++who)
    s.applies(who);
  const auto whole = s.accepts(show_queue{});
  REQUIRE(whole.job.value == job_7);
  REQUIRE(whole.title == "Stage manager");
  REQUIRE(whole.capacity == 1);
  REQUIRE(whole.active_count == 1);
  REQUIRE(whole.waitlist.size() == 10);
  REQUIRE_FALSE(whole.next);
  const auto limit = GENERATE(1, 3, 5, 10, 11);
  std::vector<std::string> seen;
  std::optional<cursor> at = cursor{};
  int pages = 0;
  for (; at; ++pages) {
    REQUIRE(pages < 20);
    const auto page = s.accepts(show_queue{limit, *at});
    REQUIRE(page.waitlist.size() <= static_cast<std::size_t>(limit));
    REQUIRE(page.active_count == 1);
    for (const auto& e : page.waitlist)
      seen.push_back(to_json(e));
    at = page.next;
  }
  REQUIRE(pages == (10 + limit - 1) / limit);
  REQUIRE(seen.size() == 10);
  for (std::size_t i = 0; i < seen.size(); ++i)
    REQUIRE(seen[i] == to_json(whole.waitlist[i]));
}

TEST_CASE("a page goes on behind its place also when those before it left") {
  story s{slots(1)};
  std::vector<application_id> all;
  for (int who = 1; who <= 7; ++who)
    all.push_back(s.applies(who));
  const auto first = s.accepts(show_queue{2, {}});
  s.accepts(leaving(all[1]));
  s.accepts(leaving(all[2]));
  const auto second = s.accepts(show_queue{2, first.next.value()});
  REQUIRE(second.waitlist.size() == 2);
  REQUIRE(second.waitlist[0].application == all[3]);
  REQUIRE(second.waitlist[0].position == 1);
}

TEST_CASE("a page behind the last place is empty") {
  story s{slots(1)};
  s.applies(1);
  s.applies(2);
  const auto page = s.accepts(show_queue{5, {1'000'000, 1'000'000}});
  REQUIRE(page.waitlist.empty());
  REQUIRE_FALSE(page.next);
  const auto pipe = s.accepts(show_pipeline{5, {1'000'000, 1'000'000}});
  REQUIRE(pipe.active.empty());
  REQUIRE(pipe.waitlist.empty());
  REQUIRE_FALSE(pipe.next);
}

TEST_CASE("without a limit a list ends after ten thousand and says where it goes on") {
  story s{slots(1)};
  for (int who = 1; who <= 10'003; ++who)
    s.decides(application_by(who));
  const auto queue = s.accepts(show_queue{});
  REQUIRE(queue.waitlist.size() == 10'000);
  REQUIRE(s.accepts(show_queue{0, queue.next.value()}).waitlist.size() == 2);
  const auto pipe = s.accepts(show_pipeline{});
  REQUIRE(pipe.waitlist.size() == 10'000);
  REQUIRE(pipe.job.waitlist_count == 10'002);
  const auto rest = s.accepts(show_pipeline{0, pipe.next.value()});
  REQUIRE(rest.active.empty());
  REQUIRE(rest.waitlist.size() == 2);
  REQUIRE(rest.waitlist[0].position == 10'001);
  REQUIRE_FALSE(rest.next);
}

TEST_CASE("the status of an application shows its position, times and penalty") {
  story s{slots(1)};
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  s.pass(61s + 999ms);
  const auto all = s.accepts(show_application_status{{bob, ada}});
  REQUIRE(all.title == "Stage manager");
  REQUIRE(all.applications.size() == 2);
  const auto b = s.shown_application(bob).value();
  REQUIRE(b.job.value == job_7);
  REQUIRE(b.title == "Stage manager");
  REQUIRE(b.status == status::waitlist);
  REQUIRE(b.position == 1);
  REQUIRE(b.applied_at == dawn);
  REQUIRE(b.in_state_s == 61);
  REQUIRE(b.penalty_count == 0);
  REQUIRE_FALSE(b.eta_s);
  s.accepts(leaving(ada));
  s.pass(5s);
  REQUIRE(s.shown_application(bob)->in_state_s == 5);
  REQUIRE_FALSE(s.shown_application(bob)->position);
  REQUIRE_FALSE(s.shown_application(ada));  // its row tells the rest
  s.accepts(acknowledge{bob});
  REQUIRE(s.shown_application(bob)->in_state_s == 0);
}

TEST_CASE("etaSeconds is the position times the mean gap of the last promotions, from three on") {
  story s{slots(1)};
  application_id holder = s.applies(1);
  std::vector<application_id> line;
  for (int who = 2; who <= 40; ++who)
    line.push_back(s.applies(who));
  std::size_t next = 0;
  const auto promote_after = [&](milliseconds gap) {
    s.pass(gap);
    s.accepts(leaving(holder));
    holder = line[next++];
    s.accepts(acknowledge{holder});
  };
  promote_after(10s);
  promote_after(20s);
  REQUIRE_FALSE(s.accepts(show_queue{}).waitlist[0].eta_s);
  promote_after(5s);  // gaps 20 and 5
  auto shown = s.accepts(show_queue{}).waitlist;
  REQUIRE(shown[0].eta_s == 13);  // 12.5, rounded
  REQUIRE(shown[1].eta_s == 25);
  REQUIRE(shown[2].eta_s == 38);  // 37.5
  REQUIRE(s.shown_application(line[next])->eta_s == 13);
  REQUIRE_FALSE(s.shown_application(holder)->eta_s);
  for (int i = 0; i < 19; ++i)
    promote_after(2s);
  shown = s.accepts(show_queue{}).waitlist;
  REQUIRE(shown[0].eta_s == 2);  // of the last twenty only
  REQUIRE(shown[3].eta_s == 8);
}

TEST_CASE("promotions at one moment give an eta of zero") {
  story s{slots(1)};
  for (int who = 1; who <= 6; ++who)
    s.applies(who);
  s.accepts(capacity_to(4));
  REQUIRE(s.accepts(show_queue{}).waitlist[0].eta_s == 0);
}

TEST_CASE("a summary counts everybody and averages over all that ever happened") {
  story s{slots(1)};
  const auto nothing_yet = s.accepts(show_summary{});
  REQUIRE_FALSE(nothing_yet.avg_time_to_promotion_s);
  REQUIRE_FALSE(nothing_yet.avg_acknowledgment_time_s);
  REQUIRE(nothing_yet.total_applications == 0);
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  const auto cyd = s.applies(3);
  s.pass(10s);
  s.accepts(leaving(ada));  // bob promoted after 10 s
  s.pass(4s);
  s.accepts(acknowledge{bob});  // after 4 s
  s.pass(6s);
  s.accepts(leaving(bob));  // cyd promoted after 20 s
  s.pass(300s);             // cyd decays at 320 s
  s.pass(300s);             // cyd promoted again, 620 s after applying
  s.pass(2s);
  s.accepts(acknowledge{cyd});  // after 2 s
  s.accepts(leaving(cyd));      // who left still counts
  const auto dan = s.applies(4);
  const auto eve = s.applies(5);
  const auto sum = s.accepts(show_summary{});
  REQUIRE(sum.job.value == job_7);
  REQUIRE(sum.title == "Stage manager");
  REQUIRE(sum.capacity == 1);
  REQUIRE(sum.active_count == 1);
  REQUIRE(sum.waitlist_count == 1);
  REQUIRE(sum.inactive_count == 3);
  REQUIRE(sum.total_applications == 5);
  REQUIRE(sum.avg_time_to_promotion_s.value() == Approx((10.0 + 20.0 + 620.0) / 3));
  REQUIRE(sum.avg_acknowledgment_time_s.value() == Approx((4.0 + 2.0) / 2));
  REQUIRE(sum.decay_events == 1);
  REQUIRE(s.status_of(dan) == status::active);
  REQUIRE(s.status_of(eve) == status::waitlist);
}

TEST_CASE("a pending offer counts as active in every view") {
  story s{slots_by_offer(1)};
  s.applies(1);
  REQUIRE(s.accepts(show{}).active_count == 1);
  REQUIRE(s.accepts(show_queue{}).active_count == 1);
  REQUIRE(s.accepts(show_summary{}).active_count == 1);
  REQUIRE(s.store.counts(job_7).active == 0);
  REQUIRE(s.store.counts(job_7).pending == 1);
}

TEST_CASE("a question changes nothing") {
  story s{slots(1)};
  s.applies(1);
  const auto ada = s.applies(2);
  const auto before = s.state();
  const auto events = s.journal.size();
  s.accepts(show{});
  s.accepts(show_pipeline{});
  s.accepts(show_queue{});
  s.accepts(show_summary{});
  s.accepts(show_application_status{{ada}});
  REQUIRE(s.state() == before);
  REQUIRE(s.journal.size() == events);
}

TEST_CASE("an event is about its application, and an opening's own about nobody") {
  REQUIRE(kind::subject(promoted{{70'000'002}, dawn}) == "70000002");
  REQUIRE(kind::subject(applied{{70'000'002}, {1}, status::active, {}, {}, {}}) == "70000002");
  REQUIRE_FALSE(kind::subject(updated{}));
  REQUIRE_FALSE(kind::subject(created{}));
}
