#include "tests/rules/queue_story.hpp"

using namespace callboard;
using callboard::tests::queue_story;
using namespace std::chrono_literals;

namespace {

queue::configure aging(std::int64_t seconds) {
  queue::configure c;
  c.aging_s = seconds;
  return c;
}

}  // namespace

TEST_CASE("the heaviest comes first, then the oldest, then the smallest id") {
  queue_story s;
  s.enqueues({s.job("b"), s.job("a"), s.job("low", "mail", 1), s.job("high", "mail", 10)});
  s.pass(1ms);
  s.enqueues("0");
  CHECK(s.claims(10) == "high a b 0 low");
  s.can_be_restored();
}

TEST_CASE("order is global over all requested types, whatever their order in the request") {
  queue_story s;
  s.enqueues({s.job("m1", "mail", 1), s.job("s5", "sms", 5), s.job("f9", "fax", 9), s.job("m7", "mail", 7)});
  SECTION("all types") { CHECK(s.claims(10) == "f9 m7 s5 m1"); }
  SECTION("some types") { CHECK(s.claims(10, {{"sms", "mail"}}) == "m7 s5 m1"); }
  SECTION("a type twice") { CHECK(s.claims(10, {{"mail", "mail"}}) == "m7 m1"); }
  SECTION("no types are none") { CHECK(s.claims(10, {{}}) == ""); }
  SECTION("unknown types") { CHECK(s.claims(10, {{"tape"}}) == ""); }
}

TEST_CASE("waiting makes heavier: a low job passes a fresh high one after nine minutes") {
  queue_story s;
  s.enqueues("low", "mail", 1);
  s.pass(9min - 1ms);
  s.enqueues("high", "mail", 10);
  SECTION("not before") { CHECK(s.claims() == "high"); }
  SECTION("from then on") {
    s.pass(2ms);
    s.enqueues("later", "mail", 10);
    CHECK(s.claims(3) == "high low later");
  }
}

TEST_CASE("without aging only weight counts, and a change of aging rebuilds the lines") {
  queue_story s;
  s.enqueues("low", "mail", 1);
  s.pass(24h);
  s.enqueues("high", "mail", 10);
  SECTION("strict") {
    s.configures(aging(0));
    CHECK(s.claims(2) == "high low");
  }
  SECTION("aging") {
    s.configures(aging(0));
    s.configures(aging(60));
    CHECK(s.claims(2) == "low high");
  }
  s.can_be_restored();
}

TEST_CASE("nobody starves: a low job is claimed although high ones never end") {
  queue_story s;
  s.enqueues("low", "mail", 1);
  int before = 0;
  for (; s.status_of("low") == "pending" && before < 10'000; ++before) {
    s.enqueues("high" + std::to_string(before), "mail", 10);
    s.enqueues("more" + std::to_string(before), "sms", 10);
    if (const auto id = s.claims(1); id != "low")
      s.completes(id);
    s.pass(1s);
  }
  CHECK(s.status_of("low") == "processing");
  CHECK(before <= 2 * 9 * 60 + 1);
}

TEST_CASE("a cancelled or expired head blocks nothing") {
  queue_story s;
  auto brief = s.job("brief", "mail", 50);
  brief.ttl_s = 5;
  s.enqueues({s.job("first", "mail", 90), brief, s.job("last")});
  s.accepts<queue::job_result>(queue::cancel{"first", "no longer"});
  s.pass(5s);
  CHECK(s.status_of("first") == "cancelled");
  CHECK(s.status_of("brief") == "failed");
  CHECK(s.rows.find<queue::report_row>("brief")->error_code == "ttl_expired");
  CHECK(s.claims(3) == "last");
  CHECK(s.state().dead_groups.empty());
  s.can_be_restored();
}

TEST_CASE("a time to live counts while pending only") {
  queue_story s;
  auto j = s.job("a");
  j.ttl_s = 10;
  auto later = s.job("later");
  later.ttl_s = 10;
  later.run_at = s.now() + 60s;
  s.enqueues({j, later});
  s.claim();
  s.pass(30s);
  CHECK(s.status_of("a") == "processing");
  CHECK(s.status_of("later") == "scheduled");
  s.pass(31s);
  CHECK(s.status_of("later") == "pending");
  s.pass(10s);
  CHECK(s.status_of("later") == "failed");
  CHECK(s.status_of("a") == "failed");
  s.can_be_restored();
}

TEST_CASE("limits are exact") {
  queue_story s;
  queue::configure c;
  for (int i = 0; i < 20; ++i)
    s.enqueues("j" + std::to_string(10 + i));
  SECTION("paused") {
    c.paused = true;
    s.configures(c);
    CHECK(s.claims(5) == "");
    c.paused = false;
    s.configures(c);
    CHECK(s.claims(1) == "j10");
  }
  SECTION("in flight") {
    c.max_in_flight = 3;
    s.configures(c);
    CHECK(s.claims(5) == "j10 j11 j12");
    CHECK(s.claims(5) == "");
    s.completes("j11");
    CHECK(s.claims(5) == "j13");
  }
  SECTION("per second, in any second") {
    c.rate_per_s = 4;
    s.configures(c);
    CHECK(s.claims(3) == "j10 j11 j12");
    s.pass(500ms);
    CHECK(s.claims(3) == "j13");
    CHECK(queue::kind::next_possible_at(s.state(), s.now()) == s.now() + 500ms);
    s.pass(499ms);
    CHECK(s.claims(3) == "");
    s.pass(1ms);
    CHECK(s.claims(9) == "j14 j15 j16");
    s.pass(500ms);
    CHECK(s.claims(9) == "j17");
  }
  s.can_be_restored();
}

TEST_CASE("at most so many jobs of one key at a time, whatever their type, and nobody else waits for them") {
  queue_story s;
  queue::configure c;
  c.per_key = queue::key_limit{"data.user.id", 2};
  s.configures(c);
  const auto of = [&](std::string id, std::string user, std::string type, std::int64_t weight) {
    auto j = s.job(std::move(id), std::move(type), weight);
    if (!user.empty())
      j.data_text = R"({"user":{"id":)" + user + "}}";
    return j;
  };
  s.enqueues({of("a1", "1", "mail", 90), of("a2", "1", "sms", 80), of("a3", "1", "mail", 70),
              of("b1", "\"x\"", "mail", 10), of("free", "", "mail", 5)});
  CHECK(s.claims(10) == "a1 a2 b1 free");
  CHECK(s.accepts<queue::explanation>(queue::explain{"a3"}).reason == "key_limit");
  CHECK(s.claims(10) == "");
  s.can_be_restored();
  s.completes("a2");
  CHECK(s.claims(10) == "a3");
  s.completes("a1");
  s.completes("a3");
  CHECK(s.state().flows.size() == 1);
  s.completes("b1");
  CHECK(s.state().flows.empty());
  s.can_be_restored();
}

TEST_CASE("a claim says why a job has to wait") {
  queue_story s;
  s.enqueues({s.job("first", "sms", 9), s.job("second", "mail", 5), s.job("third", "mail", 5)});
  CHECK(s.accepts<queue::explanation>(queue::explain{"first"}).reason == "ready");
  const auto third = s.accepts<queue::explanation>(queue::explain{"third"});
  CHECK(third.reason == "behind");
  CHECK(third.behind == 2);
  s.claim();
  CHECK(s.accepts<queue::explanation>(queue::explain{"first"}).worker == "w");
  CHECK(s.accepts<queue::explanation>(queue::explain{"third"}).behind == 1);
  queue::configure c;
  c.max_in_flight = 1;
  s.configures(c);
  CHECK(s.accepts<queue::explanation>(queue::explain{"third"}).reason == "limit");
  c.paused = true;
  s.configures(c);
  CHECK(s.accepts<queue::explanation>(queue::explain{"third"}).reason == "paused");
  s.refuses(code::not_found, queue::explain{"nobody"});
}
