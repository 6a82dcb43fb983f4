#include "tests/rules/board_job_story.hpp"

using namespace callboard;
using namespace callboard::tests::board_jobs;
using Catch::Matchers::Contains;

TEST_CASE("a claim begins a run, queues the job and holds it for its time") {
  story s;
  const auto r = s.accepts(claim_by("r1"));
  REQUIRE(r.how() == success::created);
  REQUIRE(r.status == run_status::pending);
  REQUIRE(r.lease.token == 1);
  REQUIRE(r.lease.expires_at == s.now() + 300s);
  REQUIRE(s.status() == status::queued);
  REQUIRE(s.events_text() == "CLAIMED r1");
  s.checks_out();
}

TEST_CASE("a claim asked again is not a second claim") {
  story s;
  s.accepts(claim_by("r1"));
  s.pass(10s);
  const auto again = s.accepts(claim_by("r1"));
  REQUIRE(again.how() == success::ok);
  REQUIRE(again.lease.expires_at == s.now() + 290s);
  REQUIRE(s.events_text().empty());
  SECTION("also when it has failed") {
    s.accepts(failure_of("r1"));
    REQUIRE(s.accepts(claim_by("r1")).status == run_status::failed);
  }
  SECTION("also when another one came after it") {
    s.accepts(failure_of("r1"));
    s.accepts(claim_by("r2"));
    const auto old = s.accepts(claim_by("r1"));
    REQUIRE(old.status == run_status::failed);
    REQUIRE(old.how() == success::ok);
    REQUIRE(s.state().lock->owner == "r2");
  }
}

TEST_CASE("a look-up that is outdated is made again") {
  story s;
  auto c = claim_by("r1");
  c.known = known_run{"acme", "7", 1, run_status::pending, {}};
  s.refuses(code::in_progress, c);
}

TEST_CASE("a run id of another job is taken") {
  story s;
  auto c = claim_by("r1");
  c.known = known_run{"acme", "8", 1, run_status::pending, {}};
  s.refuses(code::run_id_taken, c);
  SECTION("which is said before anything about this job") {
    s.accepts(claim_by("r2"));
    s.refuses(code::run_id_taken, c);
  }
}

TEST_CASE("one at a time") {
  story s;
  s.accepts(claim_by("r1"));
  REQUIRE(s.refuses(code::already_claimed, claim_by("r2")).message == "Job already has an active application");
  s.accepts(report_of("r1", run_status::submitted));
  s.refuses(code::already_claimed, claim_by("r2"));
}

TEST_CASE("what can not be claimed says what it is") {
  story s;
  const auto to = GENERATE(status::expired, status::rejected);
  s.accepts(set_status{to, false});
  REQUIRE_THAT(s.refuses(code::bad_job_status, claim_by("r1")).message, Contains(std::string{name(to)}));
}

TEST_CASE("what was applied to cannot be claimed") {
  story s;
  s.accepts(claim_by("r1"));
  s.accepts(success_of("r1"));
  REQUIRE_THAT(s.refuses(code::bad_job_status, claim_by("r2")).message, Contains("applied"));
}

TEST_CASE("each claim has the next token") {
  story s;
  for (std::int64_t n = 1; n <= 5; ++n) {
    const auto id = "r" + std::to_string(n);
    REQUIRE(s.accepts(claim_by(id)).lease.token == n);
    s.accepts(failure_of(id));
  }
  s.checks_out();
}

TEST_CASE("a heartbeat renews the lock by its own length") {
  story s;
  s.accepts(claim_by("r1", 60));
  s.pass(50s);
  REQUIRE(s.accepts(heartbeat("r1")).lease.expires_at == s.now() + 60s);
  s.pass(59s);
  REQUIRE(s.accepts(report_of("r1", run_status::submitted)).lease.expires_at == s.now() + 60s);
  s.pass(59s);
  REQUIRE(s.status() == status::queued);
  s.checks_out();
  s.pass(1s);
  REQUIRE(s.events_text() == "RUN_FAILED r1");
}

TEST_CASE("a lock that runs out fails its run and returns the job") {
  story s;
  s.accepts(claim_by("r1", 30));
  SECTION("by a timer") { s.pass(30s); }
  SECTION("late, when somebody comes") { s.oversleep(3h); }
  REQUIRE(s.status() == status::discovered);
  REQUIRE(s.row_of("r1").ended == failure_reason::lock_expired);
  REQUIRE(error_of(s.row_of("r1").ended, {}) == "lock expired");
  REQUIRE_FALSE(s.row_of("r1").lease_until);
  s.checks_out();
}

TEST_CASE("the moment a lock ends it is over") {
  story s;
  s.accepts(claim_by("r1", 30));
  s.oversleep(30s);
  s.refuses(code::stale_run, heartbeat("r1"));
}

TEST_CASE("who claims after a lost lock supersedes its run") {
  story s;
  s.accepts(claim_by("r1", 30));
  s.oversleep(31s);
  s.accepts(claim_by("r2"));
  REQUIRE(s.events_text() == "RUN_FAILED r1, CLAIMED r2");
  REQUIRE(error_of(s.row_of("r1").ended, {}) == "superseded");
  s.checks_out();
  SECTION("and a run that reported its failure keeps its own error") {
    s.accepts(failure_of("r2"));
    s.accepts(claim_by("r3"));
    REQUIRE(s.row_of("r2").ended == failure_reason::reported);
  }
}

TEST_CASE("late truth: who lost its lock by time may still say that it succeeded") {
  story s;
  s.accepts(claim_by("r1", 30));
  s.pass(2h);
  auto late = success_of("r1");
  late.artifacts = R"({"confirmation_url":"https://x"})";
  const auto r = s.accepts(late);
  REQUIRE(r.late);
  REQUIRE(r.status == run_status::success);
  REQUIRE_FALSE(r.error);
  REQUIRE(s.status() == status::applied);
  REQUIRE(s.state().applied_run_id == "r1");
  REQUIRE(s.row_of("r1").confirmation_url == "https://x");
  s.checks_out();
}

TEST_CASE("late truth also of a job that a person has moved meanwhile") {
  story s;
  s.accepts(claim_by("r1", 30));
  s.pass(30s);
  s.accepts(set_status{GENERATE(status::expired, status::rejected), false});
  s.accepts(success_of("r1"));
  REQUIRE(s.status() == status::applied);
  s.checks_out();
}

TEST_CASE("late, and nothing but success") {
  story s;
  s.accepts(claim_by("r1", 30));
  s.pass(30s);
  s.refuses(code::stale_run, heartbeat("r1"));
  s.refuses(code::stale_run, failure_of("r1"));
  s.refuses(code::stale_run, report_of("r1", run_status::submitted));
  auto only_artifacts = heartbeat("r1");
  only_artifacts.artifacts = R"({"notes":"x"})";
  s.refuses(code::stale_run, only_artifacts);
}

TEST_CASE("late truth with a successor is noted and told to the holder") {
  story s;
  s.accepts(claim_by("r1", 30));
  s.pass(30s);
  REQUIRE_FALSE(s.accepts(claim_by("r2")).late_success);
  s.refuses_but_notes(code::stale_run, success_of("r1"));
  REQUIRE(s.events_text() == "LATE_SUCCESS r1");
  REQUIRE(s.accepts(heartbeat("r2")).late_success);
  REQUIRE(s.status() == status::queued);
  REQUIRE(s.row_of("r1").status == run_status::failed);
  s.checks_out();
  SECTION("once") { s.refuses(code::stale_run, success_of("r1")); }
  SECTION("and to who comes after the holder") {
    s.accepts(failure_of("r2"));
    REQUIRE(s.accepts(claim_by("r3")).late_success);
  }
  SECTION("until somebody succeeds") {
    s.accepts(success_of("r2"));
    REQUIRE_FALSE(s.state().late_success);
  }
}

TEST_CASE("late truth after a successor's success is noted, though nobody holds the job") {
  story s;
  s.accepts(claim_by("r1", 30));
  s.pass(30s);
  s.accepts(claim_by("r2"));
  s.accepts(success_of("r2"));
  s.refuses_but_notes(code::stale_run, success_of("r1"));
  REQUIRE(s.events_text() == "LATE_SUCCESS r1");
  REQUIRE(s.status() == status::applied);
  REQUIRE(s.state().applied_run_id == "r2");
  REQUIRE_FALSE(s.state().late_success);
  s.checks_out();
}

TEST_CASE("a run id is the name of one claim, not of a job") {
  story s;
  s.accepts(claim_by("r1"));
  const auto first = to_row(s.row_of("r1"));
  auto again = s.row_of("r1");
  again.n = 2;
  const auto second = to_row(again);
  const auto& owner = first.in->owner;
  const auto owner_of = [&](const row& r) {
    const auto begin = r.values.begin() + static_cast<std::ptrdiff_t>(owner.first);
    return std::vector<sql_value>(begin, begin + static_cast<std::ptrdiff_t>(owner.count));
  };
  REQUIRE(owner_of(first) != owner_of(second));
  for (std::size_t i = owner.first; i < owner.first + owner.count; ++i) {
    const std::string column{first.in->columns[i].name};
    REQUIRE_THAT(std::string{first.in->owner_predicate}, Contains("t." + column + " = excluded." + column));
  }
}

TEST_CASE("who failed by its own word has nothing late to say") {
  story s;
  s.accepts(claim_by("r1"));
  s.accepts(failure_of("r1"));
  s.refuses(code::stale_run, success_of("r1"));
  s.accepts(claim_by("r2"));
  s.refuses(code::stale_run, success_of("r1"));
}

TEST_CASE("success is applied and done") {
  story s;
  s.accepts(claim_by("r1"));
  const auto r = s.accepts(success_of("r1"));
  REQUIRE(r.completed_at == s.now());
  REQUIRE_FALSE(r.lease.expires_at);
  REQUIRE(s.state().applied_at == s.now());
  REQUIRE_FALSE(kind::deadline(s.state()));
  s.refuses(code::stale_run, success_of("r1"));
  s.refuses(code::stale_run, failure_of("r1"));
  s.refuses(code::stale_run, heartbeat("r1"));
  s.checks_out();
}

TEST_CASE("failure returns the job and keeps its words beside the journal") {
  story s;
  s.accepts(claim_by("r1"));
  auto f = failure_of("r1");
  f.error = "a captcha with a secret";
  REQUIRE(s.accepts(f).error == "a captcha with a secret");
  REQUIRE(s.status() == status::discovered);
  for (const auto& [e, at] : s.journal)
    REQUIRE_THAT(encode_event(e).data, !Contains("secret"));
  s.checks_out();
}

TEST_CASE("a run does not go back") {
  story s;
  s.accepts(claim_by("r1"));
  s.accepts(report_of("r1", run_status::pending));
  s.accepts(report_of("r1", run_status::submitted));
  s.accepts(report_of("r1", run_status::submitted));
  s.refuses(code::invalid_transition, report_of("r1", run_status::pending));
}

TEST_CASE("a token that is given must be the run's") {
  story s;
  s.accepts(claim_by("r1"));
  auto r = heartbeat("r1");
  r.lease_token = 2;
  s.refuses(code::stale_lease, r);
  r.lease_token = 1;
  s.accepts(r);
  SECTION("also an old run's") {
    s.accepts(failure_of("r1"));
    s.accepts(claim_by("r2"));
    r.lease_token = 2;
    s.refuses(code::stale_lease, r);
    r.lease_token = 1;
    s.refuses(code::stale_run, r);
  }
}

TEST_CASE("artifacts merge, stay out of the journal and may be added to a success") {
  story s;
  auto c = claim_by("r1");
  c.artifacts = R"({"notes":"first","answers":{"a":"1","b":"2"}})";
  REQUIRE(s.accepts(c).artifacts->text == R"({"notes":"first","answers":{"a":"1","b":"2"}})");
  auto r = heartbeat("r1");
  r.artifacts = R"({"answers":{"b":null,"c":"3"},"notes":null})";
  REQUIRE(s.accepts(r).artifacts->text == R"({"answers":{"a":"1","c":"3"}})");
  s.checks_out();
  s.accepts(success_of("r1"));
  r.artifacts = R"({"confirmation_url":"https://x"})";
  REQUIRE(s.accepts(r).artifacts->text == R"({"answers":{"a":"1","c":"3"},"confirmation_url":"https://x"})");
  REQUIRE(s.events_text() == "ARTIFACTS_ADDED r1");
  REQUIRE(s.row_of("r1").confirmation_url == "https://x");
  for (const auto& [e, at] : s.journal)
    REQUIRE_THAT(encode_event(e).data, !Contains("confirmation") && !Contains("first"));
  s.checks_out();
  SECTION("not together with a status") {
    auto both = success_of("r1");
    both.artifacts = R"({"notes":"x"})";
    s.refuses(code::stale_run, both);
  }
  SECTION("also when another run came after it") {
    s.accepts(set_status{status::discovered, true});
    s.accepts(claim_by("r2"));
    r.artifacts = R"({"notes":"later"})";
    REQUIRE_THAT(s.accepts(r).artifacts->text, Contains("later"));
    s.checks_out();
  }
}

TEST_CASE("artifacts of more than a mebibyte are refused and change nothing") {
  story s;
  s.accepts(claim_by("r1"));
  auto r = heartbeat("r1");
  r.artifacts = R"({"notes":")" + std::string(artifacts_bytes_max / 2, 'x') + R"("})";
  s.accepts(r);
  r.artifacts = R"({"cover_letter":")" + std::string(artifacts_bytes_max / 2, 'x') + R"("})";
  s.refuses(code::payload_too_large, r);
  REQUIRE(s.state().last->payload.artifacts.size() < artifacts_bytes_max);
}

TEST_CASE("what does not exist cannot be claimed") {
  state s = kind::initial("acme:9");
  decision<kind> d{s, dawn, 0};
  const auto a = kind::decide(d, claim_by("r1"));
  REQUIRE(std::get<refusal>(a).what == code::not_found);
}
