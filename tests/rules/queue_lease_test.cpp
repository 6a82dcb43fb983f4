#include "tests/rules/queue_story.hpp"

using namespace callboard;
using callboard::tests::queue_story;
using namespace std::chrono_literals;

TEST_CASE("a lost lease returns the job at once, and at last leaves it dead") {
  queue_story s;
  auto j = s.job("a");
  j.max_attempts = 2;
  s.enqueues({j});
  s.claim();
  const auto old = s.token_of("a");
  s.pass(60s);
  CHECK(s.status_of("a") == "pending");
  CHECK(s.state().find("a")->attempts == 1);
  s.refuses(code::stale_lease, queue::complete{{{"a", old, {}}}, true});
  s.claim();
  CHECK(s.token_of("a") > old);
  s.refuses(code::stale_lease, queue::heartbeat{"a", old, {}, {}, {}});
  s.pass(60s);
  CHECK(s.status_of("a") == "failed");
  CHECK(s.rows.find<queue::report_row>("a")->error_code == "lease_lost");
  CHECK(s.state().dead_groups.size() == 1);
  s.can_be_restored();
}

TEST_CASE("a heartbeat renews the lease by its own length and keeps what it does not name") {
  queue_story s;
  s.enqueues("a");
  s.claim();
  s.pass(59s);
  auto beat = s.accepts<queue::beat>(queue::heartbeat{"a", s.token_of("a"), "0.25", "half of half", {}});
  CHECK(beat.lease_expires_at == s.now() + 60s);
  s.pass(59s);
  s.accepts<queue::beat>(queue::heartbeat{"a", s.token_of("a"), "0.5", {}, "{\"page\":2}"});
  const auto stated = s.rows.find<queue::report_row>("a");
  CHECK(stated->progress == "0.5");
  CHECK(stated->message == "half of half");
  CHECK(stated->checkpoint == "{\"page\":2}");
  s.pass(59s);
  CHECK(s.status_of("a") == "processing");
  s.can_be_restored();
}

TEST_CASE("a failed job is tried again after a pause that doubles, is capped, and is a share of chance") {
  CHECK(queue::backoff(1'000, 0, 1) == 1s);
  CHECK(queue::backoff(1'000, 3, 1) == 8s);
  CHECK(queue::backoff(1'000, 3, 0.5) == 4s);
  CHECK(queue::backoff(1'000, 50, 1) == 15min);
  queue_story s;
  s.enqueues("a");
  s.claim();
  CHECK(s.fails("a").run_at == s.now() + 1s);
  CHECK(s.status_of("a") == "scheduled");
  CHECK(s.claims() == "");
  s.pass(1s);
  CHECK(s.claims() == "a");
  auto f = s.failure("a");
  f.retry_after_s = 3'600;
  CHECK(s.accepts<queue::job_result>(f).run_at == s.now() + 1h);
  s.pass(1h);
  s.claim();
  s.settings.backoff.by_type_ms["mail"] = 10;
  f = s.failure("a");
  CHECK(s.accepts<queue::job_result>(f).run_at == s.now() + 40ms);
  s.pass(1s);
  s.claim();
  CHECK(s.fails("a").status == queue::status::failed);
  CHECK(s.state().find("a")->attempts == 4);
  s.can_be_restored();
}

TEST_CASE("a permanent failure is dead at once; at most once means one attempt") {
  queue_story s;
  auto once = s.job("once");
  once.max_attempts = 1;
  s.enqueues({s.job("a"), once});
  s.claim(2);
  auto f = s.failure("a");
  f.permanent = true;
  CHECK(s.accepts<queue::job_result>(f).status == queue::status::failed);
  CHECK(s.fails("once").status == queue::status::failed);
  CHECK(s.accepts<queue::dead_groups>(queue::show_dead{"", 10}).groups.size() == 1);
}

TEST_CASE("a released job keeps its place and its attempts") {
  queue_story s;
  s.enqueues("a");
  s.pass(1s);
  s.enqueues("b");
  s.claim();
  s.pass(10s);
  s.accepts<queue::job_result>(queue::release{{{"a", s.token_of("a"), {}}}, true});
  CHECK(s.state().find("a")->attempts == 0);
  CHECK(s.claims(2) == "a b");
}

TEST_CASE("a cancelled job that is held is told so, and nothing it brings counts") {
  queue_story s;
  s.enqueues("a");
  s.claim();
  CHECK(s.accepts<queue::job_result>(queue::cancel{"a", "too late"}).cancel_requested);
  CHECK(s.accepts<queue::beat>(queue::heartbeat{"a", s.token_of("a"), {}, {}, {}}).cancel_requested);
  s.refuses(code::cancelled, queue::complete{{{"a", s.token_of("a"), {}}}, true});
  SECTION("fail") { s.fails("a"); }
  SECTION("release") { s.accepts<queue::job_result>(queue::release{{{"a", s.token_of("a"), {}}}, true}); }
  SECTION("lease end") { s.pass(60s); }
  CHECK(s.status_of("a") == "cancelled");
  s.can_be_restored();
}

TEST_CASE("many are completed in one event, each answered on its own") {
  queue_story s;
  s.enqueues({s.job("a"), s.job("b"), s.job("c"), s.job("d")});
  s.claim(3);
  s.accepts<queue::job_result>(queue::cancel{"c", {}});
  queue::complete request;
  request.jobs = {{"a", s.token_of("a"), "1"}, {"b", s.token_of("b") + 1, {}},
                  {"c", s.token_of("c"), {}},  {"d", 1, {}},
                  {"a", s.token_of("a"), "2"}, {"zz", 1, {}}};
  const auto made = s.accepts<queue::job_results>(request).jobs;
  REQUIRE(made.size() == 6);
  CHECK(made[0].status == queue::status::complete);
  CHECK(made[1].error == code::stale_lease);
  CHECK(made[2].error == code::cancelled);
  CHECK(made[3].error == code::stale_lease);
  CHECK(made[4].error == code::stale_lease);
  CHECK(made[5].error == code::stale_lease);
  CHECK(s.last_events == 1);
  CHECK(s.rows.find<queue::finished_row>("a")->worker == "w");
  CHECK(!s.rows.find<queue::job_row>("a"));
  s.can_be_restored();
}

TEST_CASE("a thousand jobs are one event to enqueue, to claim and to complete") {
  queue_story s;
  std::vector<queue::new_job> jobs;
  for (int i = 0; i < 1'000; ++i)
    jobs.push_back(s.job("job-" + std::to_string(i)));
  s.enqueues(jobs);
  CHECK(s.last_events == 1);
  const auto claimed = s.claim(1'000).jobs;
  CHECK(s.last_events == 1);
  queue::complete request;
  for (const auto& j : claimed)
    request.jobs.push_back({j.id, s.token_of(j.id), {}});
  s.accepts<queue::job_results>(request);
  CHECK(s.last_events == 1);
  CHECK(s.state().by_id.empty());
}

TEST_CASE("no event is longer than the journal takes") {
  queue_story s;
  std::vector<queue::new_job> jobs;
  for (int i = 0; i < 1'000; ++i) {
    auto j = s.job(std::string(120, 'x') + std::to_string(i), std::string(128, 't'));
    j.unique_key = std::string(190, 'u') + std::to_string(i);
    jobs.push_back(std::move(j));
  }
  s.enqueues(jobs);
  CHECK(s.journal.size() > 1);
  for (const auto& [text, at] : s.journal)
    CHECK(text.data.size() <= 256 * 1024);
  CHECK(s.state().by_id.size() == 1'000);
}
