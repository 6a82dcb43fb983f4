#include "actors/board_job/tags.hpp"
#include "tests/rules/board_job_story.hpp"

#include <algorithm>

using namespace callboard;
using namespace callboard::tests::board_jobs;

namespace {

/// A job in each status, and when it is queued or applied by run r1.
story in(status wanted) {
  story s;
  if (wanted == status::queued || wanted == status::applied)
    s.accepts(claim_by("r1"));
  if (wanted == status::applied)
    s.accepts(success_of("r1"));
  if (wanted == status::expired || wanted == status::rejected)
    s.accepts(set_status{wanted, false});
  REQUIRE(s.status() == wanted);
  return s;
}

}  // namespace

TEST_CASE("a job is new once and is never reset by being seen") {
  story s;
  REQUIRE(s.events_text() == "JOB_DISCOVERED");
  const auto from = GENERATE(status::discovered, status::queued, status::applied, status::expired, status::rejected);
  auto t = in(from);
  t.pass(10s);
  const auto seen = t.accepts(sight_of());
  REQUIRE(seen.is == novelty::unchanged);
  REQUIRE(seen.job.status == from);
  REQUIRE(seen.job.last_seen_at == t.now());
  REQUIRE(t.events_text().empty());
  t.checks_out();
}

TEST_CASE("being seen is journaled once an hour and always remembered") {
  story s;
  s.pass(1h);
  s.accepts(sight_of());
  REQUIRE(s.events_text().empty());
  REQUIRE(s.store.load().seen.latest == s.now());
  s.pass(1ms);
  s.accepts(sight_of());
  REQUIRE(s.events_text() == "JOB_SEEN");
  s.accepts(claim_by("r1"));
  s.pass(30min);
  s.accepts(sight_of());
  s.accepts(claim_by("r2"));
  REQUIRE(s.store.load().seen.latest == s.now());
  s.checks_out();
}

TEST_CASE("content changes when its hash does, whatever the status") {
  auto s = in(GENERATE(status::discovered, status::queued, status::applied, status::expired, status::rejected));
  const auto before = s.status();
  const auto seen = s.accepts(sight_of("Prompter"));
  REQUIRE(seen.is == novelty::updated);
  REQUIRE(seen.job.title == "Prompter");
  REQUIRE(seen.job.status == before);
  REQUIRE(s.events_text() == "JOB_UPDATED");
  s.checks_out();
}

TEST_CASE("every status and every manual target") {
  using enum status;
  struct expectation {
    status from;
    status to;
    bool force;
    std::optional<code> no;
    std::string told;
  };
  const std::vector<expectation> all{
      {discovered, discovered, false, {}, ""},
      {discovered, expired, false, {}, "JOB_STATUS_CHANGED"},
      {discovered, rejected, false, {}, "JOB_STATUS_CHANGED"},
      {queued, discovered, false, code::invalid_transition, ""},
      {queued, discovered, true, code::invalid_transition, ""},
      {queued, expired, false, {}, "RUN_FAILED r1, JOB_STATUS_CHANGED"},
      {queued, rejected, false, {}, "RUN_FAILED r1, JOB_STATUS_CHANGED"},
      {applied, discovered, false, code::conflict, ""},
      {applied, expired, false, code::conflict, ""},
      {applied, rejected, false, code::conflict, ""},
      {applied, discovered, true, {}, "JOB_STATUS_CHANGED"},
      {applied, expired, true, {}, "JOB_STATUS_CHANGED"},
      {applied, rejected, true, {}, "JOB_STATUS_CHANGED"},
      {expired, discovered, false, {}, "JOB_STATUS_CHANGED"},
      {expired, expired, false, {}, ""},
      {expired, rejected, false, {}, "JOB_STATUS_CHANGED"},
      {rejected, discovered, false, {}, "JOB_STATUS_CHANGED"},
      {rejected, expired, false, {}, "JOB_STATUS_CHANGED"},
      {rejected, rejected, false, {}, ""},
  };
  for (const auto& e : all) {
    INFO(name(e.from) << " to " << name(e.to) << (e.force ? " by force" : ""));
    auto s = in(e.from);
    const set_status c{e.to, e.force};
    if (e.no) {
      s.refuses(*e.no, c);
      continue;
    }
    REQUIRE(s.accepts(c).status == e.to);
    REQUIRE(s.events_text() == e.told);
    s.checks_out();
  }
}

TEST_CASE("queued and applied are nobody's to set") {
  auto s = in(GENERATE(status::discovered, status::queued, status::applied, status::expired, status::rejected));
  s.refuses(code::invalid_transition, set_status{status::queued, true});
  s.refuses(code::invalid_transition, set_status{status::applied, true});
}

TEST_CASE("a job that goes takes its run with it and says why") {
  auto s = in(status::queued);
  const auto to = GENERATE(status::expired, status::rejected);
  s.accepts(set_status{to, false});
  REQUIRE(error_of(s.row_of("r1").ended, {}) == "job " + std::string{name(to)});
  REQUIRE_FALSE(s.state().lock);
  s.refuses(code::stale_run, success_of("r1"));
  s.checks_out();
}

TEST_CASE("what was applied to and taken back is open again, and its success stays a success") {
  auto s = in(status::applied);
  s.accepts(set_status{status::discovered, true});
  REQUIRE_FALSE(s.state().applied_at);
  REQUIRE_FALSE(s.state().applied_run_id);
  REQUIRE(s.row_of("r1").status == run_status::success);
  REQUIRE(s.accepts(claim_by("r2")).lease.token == 2);
  REQUIRE(s.accepts(claim_by("r1")).status == run_status::success);
  s.accepts(failure_of("r2"));
  s.checks_out();
}

TEST_CASE("a job that nobody sees for seven days is gone, and back when it is seen") {
  story s;
  s.pass(7 * 24h);
  REQUIRE(s.status() == status::discovered);
  s.pass(1h);
  REQUIRE(s.events_text() == "JOB_STATUS_CHANGED");
  REQUIRE(s.status() == status::expired);
  s.checks_out();
  REQUIRE(s.accepts(sight_of()).is == novelty::updated);
  REQUIRE(s.status() == status::discovered);
  s.checks_out();
}

TEST_CASE("nothing that was seen within seven days goes") {
  story s;
  s.pass(59min);
  s.accepts(sight_of());  // not journaled
  s.pass(7 * 24h);
  REQUIRE(s.status() == status::discovered);
}

TEST_CASE("only what is discovered goes by itself") {
  auto s = in(GENERATE(status::applied, status::rejected));
  const auto before = s.status();
  s.pass(100 * 24h);
  REQUIRE(s.status() == before);
  REQUIRE(s.events_text().empty());
}

TEST_CASE("what a person sent away does not come back by being seen") {
  auto s = in(GENERATE(status::expired, status::rejected));
  const auto before = s.status();
  s.pass(100 * 24h);
  s.accepts(sight_of());
  REQUIRE(s.status() == before);
}

TEST_CASE("a person may send away for good what went by itself") {
  story s;
  s.pass(8 * 24h);
  s.accepts(set_status{status::expired, false});
  REQUIRE(s.events_text() == "JOB_STATUS_CHANGED");
  s.accepts(sight_of());
  REQUIRE(s.status() == status::expired);
  s.checks_out();
}

TEST_CASE("a crawl expires what it has not seen") {
  story s;
  s.pass(10min);
  const auto began = s.now();
  SECTION("not seen") {
    REQUIRE(s.accepts(expire_unseen{began}).is_gone);
    REQUIRE(s.status() == status::expired);
    s.accepts(sight_of());
    REQUIRE(s.status() == status::discovered);
  }
  SECTION("seen, though the journal was not told") {
    s.accepts(sight_of());
    REQUIRE_FALSE(s.accepts(expire_unseen{began}).is_gone);
  }
  SECTION("claimed") {
    s.accepts(claim_by("r1"));
    REQUIRE_FALSE(s.accepts(expire_unseen{began}).is_gone);
  }
  s.checks_out();
}

TEST_CASE("a lock that runs out on a job that nobody has seen for long lets it go at once") {
  story s;
  s.pass(7 * 24h + 59min + 50s);
  s.accepts(claim_by("r1", 3'600));
  s.pass(3'600s);
  REQUIRE(s.events_text() == "RUN_FAILED r1, JOB_STATUS_CHANGED");
  REQUIRE(s.status() == status::expired);
  SECTION("and its success can still be told") { REQUIRE(s.accepts(success_of("r1")).late); }
  s.checks_out();
}

TEST_CASE("what is deleted is gone, its runs stay, and it may be found again") {
  auto s = in(GENERATE(status::discovered, status::applied, status::expired, status::rejected));
  const auto claims = s.state().claims;
  s.accepts(erase{});
  REQUIRE(s.events_text() == "JOB_DELETED");
  REQUIRE_FALSE(kind::deadline(s.state()));
  s.refuses(code::not_found, claim_by("r9"));
  s.refuses(code::not_found, set_status{status::rejected, false});
  s.refuses(code::not_found, erase{});
  s.checks_out();
  REQUIRE(s.accepts(sight_of()).is == novelty::fresh);
  REQUIRE(s.status() == status::discovered);
  REQUIRE(s.accepts(claim_by("r9")).lease.token == claims + 1);
  s.checks_out();
}

TEST_CASE("what is claimed is not deleted") {
  auto s = in(status::queued);
  s.refuses(code::conflict, erase{});
}

TEST_CASE("tags are whole words in any case") {
  const std::vector<std::string> known{"quant", "ml", "data", "C++"};
  REQUIRE(tags_of("Senior QUANT, ML", "", known) == std::vector<std::string>{"quant", "ml"});
  REQUIRE(tags_of("html database", "mldata", known).empty());
  REQUIRE(tags_of("Engineer", "Data/ML", known) == std::vector<std::string>{"ml", "data"});
  REQUIRE(tags_of("c++ and more", "", known) == std::vector<std::string>{"c++"});
  REQUIRE(tags_of("éml", "ml_x", known).empty());
  REQUIRE(tags_of("Research – ML—\u201cData\u201d", "", known) == std::vector<std::string>{"ml", "data"});
  REQUIRE(tags_of("Senior\u00a0quant\u2026", "\u206fml\u2000", known) == std::vector<std::string>{"quant", "ml"});
  REQUIRE(tags_of("\u00e9ml \u2070data \u1fffquant", "", known).empty());
  REQUIRE(split_tags(joined_tags({"a", "b"})) == std::vector<std::string>{"a", "b"});
  REQUIRE(split_tags(joined_tags({})).empty());
}
