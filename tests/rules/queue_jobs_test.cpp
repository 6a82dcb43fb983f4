#include "tests/rules/queue_story.hpp"

using namespace callboard;
using callboard::tests::queue_story;
using namespace std::chrono_literals;

TEST_CASE("the same job twice is one job, another job of its id is refused, and a batch is all or nothing") {
  queue_story s;
  s.enqueues("a");
  CHECK(s.enqueues({s.job("a")}).jobs.front().deduplicated);
  const auto no = s.refuses(code::duplicate_job, queue::enqueue{{s.job("b"), s.job("a", "sms")}, false});
  REQUIRE(no.details.size() == 1);
  CHECK(no.details.front().path == "jobs[1].id");
  s.refuses(code::duplicate_job, queue::enqueue{{s.job("b"), s.job("b", "sms")}, false});
  const auto twice = s.enqueues({s.job("c"), s.job("c")}).jobs;
  CHECK(!twice[0].deduplicated);
  CHECK(twice[1].deduplicated);
  CHECK(s.state().by_id.size() == 2);
}

TEST_CASE("a finished job of the same id is known by its row") {
  queue_story s;
  auto j = s.job("a");
  j.finished = queue::finished_job{queue::status::complete, j.content};
  const auto made = s.enqueues({j}).jobs.front();
  CHECK(made.deduplicated);
  CHECK(made.status == queue::status::complete);
  CHECK(s.last_events == 0);
  j.finished->content += 1;
  s.refuses(code::duplicate_job, queue::enqueue{{j}, true});
}

TEST_CASE("a unique key belongs to one job until that is over or dead") {
  queue_story s;
  auto first = s.job("a"), second = s.job("b");
  first.unique_key = second.unique_key = "user-7";
  s.enqueues({first});
  CHECK(s.enqueues({second}).jobs.front().id == "a");
  s.claim();
  CHECK(s.enqueues({second}).jobs.front().status == queue::status::processing);
  SECTION("complete") { s.completes("a"); }
  SECTION("dead") {
    auto f = s.failure("a");
    f.permanent = true;
    s.accepts<queue::job_result>(f);
  }
  CHECK(s.enqueues({second}).jobs.front().id == "b");
  s.can_be_restored();
}

TEST_CASE("a dead job whose unique key is taken meanwhile stays dead") {
  queue_story s;
  auto first = s.job("a"), second = s.job("b");
  first.unique_key = second.unique_key = "user-7";
  s.enqueues({first});
  s.claim();
  auto f = s.failure("a");
  f.permanent = true;
  s.accepts<queue::job_result>(f);
  s.enqueues({second});
  queue::redrive request;
  request.type = "mail";
  CHECK(s.accepts<queue::swept>(request).moved == 0);
  CHECK(s.claims(2) == "b");
  s.completes("b");
  CHECK(s.accepts<queue::swept>(request).moved == 1);
  CHECK(s.claims(2) == "a");
  s.can_be_restored();
}

TEST_CASE("jobs for later wait until then") {
  queue_story s;
  auto j = s.job("a");
  j.run_at = s.now() + 10s;
  auto past = s.job("b");
  past.run_at = s.now() - 10s;
  const auto made = s.enqueues({j, past}).jobs;
  CHECK(made[0].status == queue::status::scheduled);
  CHECK(made[1].status == queue::status::pending);
  CHECK(s.accepts<queue::explanation>(queue::explain{"a"}).until == s.now() + 10s);
  CHECK(s.claims(2) == "b");
  s.pass(10s);
  CHECK(s.claims(2) == "a");
}

TEST_CASE("many are cancelled by what they are, a bounded number at a time") {
  queue_story s;
  std::vector<queue::new_job> jobs;
  for (int i = 0; i < 900; ++i)
    jobs.push_back(s.job("m" + std::to_string(i)));
  jobs.push_back(s.job("s", "sms"));
  s.enqueues(jobs);
  s.claim(10, {{"mail"}});
  queue::cancel_matching request;
  request.type = "mail";
  request.reason = "wrong template";
  std::int64_t moved = 0, flagged = 0, rounds = 0;
  for (std::optional<std::int64_t> at = 0; at; ++rounds) {
    request.after = *at;
    const auto done = s.accepts<queue::swept>(request);
    moved += done.moved;
    flagged += done.flagged;
    at = done.next;
  }
  CHECK(moved == 890);
  CHECK(flagged == 10);
  CHECK(rounds > 1);
  CHECK(s.status_of("s") == "pending");
  s.can_be_restored();
}

TEST_CASE("failures that differ only in numbers are one group") {
  const auto fingerprint_of = [](std::string error) { return queue::fingerprint("mail", "smtp", error); };
  CHECK(fingerprint_of("timeout after 30 s at 10.0.0.7") == fingerprint_of("timeout after 5 s at 10.0.0.9"));
  CHECK(fingerprint_of("user 3f2b9c1d-55aa-4b7e missing") == fingerprint_of("user 00ffee11-1234-9abc missing"));
  CHECK(fingerprint_of("at 0x7ffdeadb") == fingerprint_of("at 0x00001"));
  CHECK(fingerprint_of("no route") != fingerprint_of("no host"));
  CHECK(fingerprint_of("x") != queue::fingerprint("sms", "smtp", "x"));
  CHECK(fingerprint_of("x") != queue::fingerprint("mail", {}, "x"));
}

TEST_CASE("dead jobs are grouped, and redriven by group, at a rate, only those that were dead then") {
  queue_story s;
  for (const auto* id : {"a", "b", "c"})
    s.enqueues(id);
  s.claim(3);
  for (const auto* id : {"a", "b", "c"}) {
    auto f = s.failure(id, std::string{"timeout "} + id);
    f.permanent = true;
    f.error_code = id == std::string{"c"} ? "auth" : "net";
    s.pass(1s);
    s.accepts<queue::job_result>(f);
  }
  const auto groups = s.accepts<queue::dead_groups>(queue::show_dead{"", 10}).groups;
  CHECK(groups.size() == 3);  // the last letters differ
  queue::redrive request;
  request.error_code = "net";
  SECTION("by error code, at a rate") {
    request.rate_per_s = 2;
    request.began = s.now();
    CHECK(s.accepts<queue::swept>(request).moved == 2);
    CHECK(s.claims(5).size() == 1);
    s.pass(500ms);
    CHECK(s.claims(5).size() == 1);
  }
  SECTION("only what was dead then") {
    request.began = s.now() - 1500ms;
    CHECK(s.accepts<queue::swept>(request).moved == 1);
  }
  SECTION("by id") {
    request = {};
    request.ids = {{"c", "nobody", "c"}};
    CHECK(s.accepts<queue::swept>(request).moved == 1);
    CHECK(s.claims(1) == "c");
    CHECK(s.state().find("c")->attempts == 0);
    CHECK(s.state().find("c")->redrives == 1);
    s.completes("c");
    CHECK(s.accepts<queue::swept>(request).moved == 0);
  }
  s.can_be_restored();
}

TEST_CASE("dead letters are kept for thirty days, finished jobs until their rows are found") {
  queue_story s;
  s.enqueues({s.job("dead"), s.job("done")});
  s.claim(2);
  auto f = s.failure("dead");
  f.permanent = true;
  s.accepts<queue::job_result>(f);
  s.completes("done");
  s.pass(std::chrono::days{30} - 1ms);
  CHECK(s.status_of("dead") == "failed");
  s.pass(1ms);
  CHECK(s.status_of("dead") == "unknown");
  CHECK(!s.rows.find<queue::payload_row>("dead"));
  CHECK(!s.rows.find<queue::report_row>("dead"));
  s.says(queue::purge{{"done"}});
  CHECK(s.status_of("done") == "unknown");
  CHECK(!s.rows.find<queue::payload_row>("done"));
  CHECK(!s.enqueues({s.job("done")}).jobs.front().deduplicated);
  s.can_be_restored();
}

TEST_CASE("what has not changed is no event") {
  queue_story s;
  queue::configure c;
  c.max_in_flight = 4;
  s.configures(c);
  CHECK(s.last_events == 1);
  s.configures(c);
  CHECK(s.last_events == 0);
  c.max_in_flight = std::optional<std::int64_t>{};
  s.configures(c);
  CHECK(!s.state().max_in_flight);
}

TEST_CASE("stats tell depth, age and flight of every type") {
  queue_story s;
  s.enqueues({s.job("a"), s.job("b", "sms")});
  s.pass(12s);
  s.enqueues("c", "sms", 50);
  s.claim(1);
  const auto made = s.accepts<queue::stats>(queue::show_stats{});
  CHECK(made.depth == 2);
  CHECK(made.in_flight == 1);
  CHECK(made.oldest_age_s == 12);
  REQUIRE(made.types.size() == 2);
  CHECK(made.types[1].type == "sms");
  CHECK(made.types[1].in_flight == 1);
  CHECK(made.types[1].claimed_per_s > 0);
}
