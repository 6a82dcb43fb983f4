#include "base/instant.hpp"
#include "base/json_read.hpp"
#include "base/sql.hpp"
#include "messages/entity_id.hpp"
#include "messages/opening.hpp"
#include "messages/outcome.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace callboard;
using namespace std::chrono_literals;

namespace {

std::string again(const std::string& text) {
  const auto t = from_rfc3339(text);
  return t ? to_iso(*t) : "unreadable";
}

/// The event's JSON, and the same after reading and writing it again.
template <class Event>
void comes_back(const Event& e, const std::string& as) {
  const auto text = to_json(e);
  REQUIRE(text == as);
  REQUIRE(to_json(from_own_json<Event>(text)) == text);
}

template <named E>
void has_names() {
  std::set<std::string_view> seen;
  const auto all = names_of(E{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE_FALSE(all[i].empty());
    REQUIRE(seen.insert(all[i]).second);
    REQUIRE(name(static_cast<E>(i)) == all[i]);
    REQUIRE(from_name<E>(all[i]) == static_cast<E>(i));
  }
  REQUIRE_FALSE(from_name<E>("no such name"));
  REQUIRE_FALSE(from_name<E>(""));
}

const instant noon = from_rfc3339("2026-03-01T12:00:00Z").value();

}  // namespace

TEST_CASE("a moment is written in UTC with three fraction digits and Z") {
  REQUIRE(to_iso(from_ms(0)) == "1970-01-01T00:00:00.000Z");
  REQUIRE(to_iso(from_ms(1)) == "1970-01-01T00:00:00.001Z");
  REQUIRE(to_iso(from_ms(-1)) == "1969-12-31T23:59:59.999Z");
  REQUIRE(to_iso(from_ms(1'709'210'096'070)) == "2024-02-29T12:34:56.070Z");
  REQUIRE(to_iso(from_ms(253'402'300'799'999)) == "9999-12-31T23:59:59.999Z");
}

TEST_CASE("a moment is read with any fraction and any offset") {
  REQUIRE(again("2026-03-01T12:00:00Z") == "2026-03-01T12:00:00.000Z");
  REQUIRE(again("2026-03-01t12:00:00z") == "2026-03-01T12:00:00.000Z");
  REQUIRE(again("2026-03-01T12:00:00.5Z") == "2026-03-01T12:00:00.500Z");
  REQUIRE(again("2026-03-01T12:00:00.05Z") == "2026-03-01T12:00:00.050Z");
  REQUIRE(again("2026-03-01T12:00:00.123456789Z") == "2026-03-01T12:00:00.123Z");
  REQUIRE(again("2026-03-01T12:00:00.9999Z") == "2026-03-01T12:00:00.999Z");
  REQUIRE(again("2026-03-01T12:00:00+02:00") == "2026-03-01T10:00:00.000Z");
  REQUIRE(again("2026-03-01T12:00:00-05:30") == "2026-03-01T17:30:00.000Z");
  REQUIRE(again("2026-03-01T00:30:00.25+01:00") == "2026-02-28T23:30:00.250Z");
  REQUIRE(again("2026-03-01T12:00:00-00:00") == "2026-03-01T12:00:00.000Z");
  REQUIRE(again("2024-02-29T00:00:00Z") == "2024-02-29T00:00:00.000Z");
  REQUIRE(again("2016-12-31T23:59:60Z") == "2017-01-01T00:00:00.000Z");  // a leap second
  REQUIRE(again("1969-12-31T23:59:59.999Z") == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("what is no moment is not read") {
  for (const auto* bad : {"",
                          "now",
                          "2026-03-01",
                          "2026-03-01T12:00:00",
                          "2026-03-01T12:00Z",
                          "2026-02-29T00:00:00Z",
                          "2026-13-01T00:00:00Z",
                          "2026-00-01T00:00:00Z",
                          "2026-01-00T00:00:00Z",
                          "2026-01-32T00:00:00Z",
                          "2026-03-01T24:00:00Z",
                          "2026-03-01T12:60:00Z",
                          "2026-03-01T12:00:61Z",
                          "2026-03-01T12:00:00.Z",
                          "2026-03-01T12:00:00,5Z",
                          "2026-03-01T12:00:00+2:00",
                          "2026-03-01T12:00:00+0200",
                          "2026-03-01T12:00:00+24:00",
                          "2026-03-01T12:00:00+02:60",
                          "2026-03-01T12:00:00Zx",
                          " 2026-03-01T12:00:00Z",
                          "2026-03-01T12:00:00Z ",
                          "26-03-01T12:00:00Z",
                          "2026-3-1T12:00:00Z",
                          "-2026-03-01T12:00:00Z",
                          "+2026-03-01T12:00:00Z",
                          "2026/03/01T12:00:00Z",
                          "2026-03-01T12:00:00.123",
                          "2026-03-01T12:00:00+",
                          "20260301T120000Z",
                          "1772366400000"}) {
    INFO(bad);
    REQUIRE_FALSE(from_rfc3339(bad));
  }
}

TEST_CASE("every event comes back from its JSON") {
  using namespace opening;
  comes_back(created{"Prompter", "Whispers \"loud\"\n", 3, 300, true, 600, std::nullopt},
             R"({"title":"Prompter","description":"Whispers \"loud\"\n","capacity":3,"ackWindowSeconds":300,)"
             R"("offerOnApply":true,"ackWindowOnApplySeconds":600,"owner":null})");
  comes_back(created{"Prompter", std::nullopt, 3, 300, false, 600, "acme"},
             R"({"title":"Prompter","description":null,"capacity":3,"ackWindowSeconds":300,)"
             R"("offerOnApply":false,"ackWindowOnApplySeconds":600,"owner":"acme"})");
  comes_back(updated{"Prompter", std::nullopt, 4, 1, false, 2, phase::closed},
             R"({"title":"Prompter","description":null,"capacity":4,"ackWindowSeconds":1,"offerOnApply":false,)"
             R"("ackWindowOnApplySeconds":2,"status":"closed"})");
  comes_back(applied{{70'000'001}, {5}, status::active, {}, {}, {}},
             R"({"applicationId":70000001,"applicantId":5,"status":"ACTIVE","rank":null,"position":null,)"
             R"("acknowledgeDeadline":null})");
  comes_back(applied{{70'000'001}, {5}, status::waitlist, 9, 4, {}},
             R"({"applicationId":70000001,"applicantId":5,"status":"WAITLIST","rank":9,"position":4,)"
             R"("acknowledgeDeadline":null})");
  comes_back(
      applied{{70'000'001}, {5}, status::pending_acknowledgment, {}, {}, noon + 1ms},
      R"({"applicationId":70000001,"applicantId":5,"status":"PENDING_ACKNOWLEDGMENT","rank":null,"position":null,)"
      R"("acknowledgeDeadline":"2026-03-01T12:00:00.001Z"})");
  comes_back(promoted{{70'000'002}, noon},
             R"({"applicationId":70000002,"acknowledgeDeadline":"2026-03-01T12:00:00.000Z"})");
  comes_back(acknowledged{{70'000'002}}, R"({"applicationId":70000002})");
  comes_back(withdrawn{{70'000'002}, status::waitlist, party::company},
             R"({"applicationId":70000002,"from":"WAITLIST","by":"company"})");
  comes_back(declined{{70'000'002}}, R"({"applicationId":70000002})");
  comes_back(
      decayed{{70'000'002}, 2, 17, 3, noon},
      R"({"applicationId":70000002,"penaltyCount":2,"rank":17,"newPosition":3,"coolsUntil":"2026-03-01T12:00:00.000Z"})");
  static_assert(std::variant_size_v<event> == 8, "a new event belongs into this test");
}

TEST_CASE("event types have their public names") {
  using namespace opening;
  REQUIRE(created::type == "JOB_CREATED");
  REQUIRE(updated::type == "JOB_UPDATED");
  REQUIRE(applied::type == "APPLIED");
  REQUIRE(promoted::type == "PROMOTED");
  REQUIRE(acknowledged::type == "ACKNOWLEDGED");
  REQUIRE(withdrawn::type == "WITHDRAWN");
  REQUIRE(declined::type == "DECLINED");
  REQUIRE(decayed::type == "DECAY_TRIGGERED");
}

TEST_CASE("an event holds nothing that a person wrote about themselves") {
  using namespace opening;
  const auto text = to_json(applied{{1}, {2}, status::active, {}, {}, {}}) + to_json(withdrawn{});
  REQUIRE(text.find("ame\"") == std::string::npos);
  REQUIRE(text.find("mail") == std::string::npos);
  REQUIRE(text.find("reason") == std::string::npos);
}

TEST_CASE("answers have the fields of the contract, nullable ones always") {
  using namespace opening;
  job j;
  j.id = {7};
  j.title = "Prompter";
  j.created_at = noon;
  REQUIRE(to_json(j) ==
          R"({"id":7,"title":"Prompter","description":null,"capacity":0,"activeCount":0,"waitlistCount":0,)"
          R"("createdAt":"2026-03-01T12:00:00.000Z","ackWindowSeconds":0,"offerOnApply":false,)"
          R"("ackWindowOnApplySeconds":0,"status":"open","owner":null,"version":0})");
  application_result r;
  r.application = {70'000'001};
  r.applicant = {1};
  r.job = {7};
  r.message = "m";
  REQUIRE(to_json(r) ==
          R"({"applicationId":70000001,"applicantId":1,"jobId":7,"status":"WAITLIST","queuePosition":null,)"
          R"("message":"m","acknowledgeDeadline":null})");
  summary s;
  s.job = {7};
  REQUIRE(
      to_json(s) ==
      R"({"jobId":7,"jobTitle":"","capacity":0,"activeCount":0,"waitlistCount":0,"inactiveCount":0,)"
      R"("totalApplications":0,"avgTimeToPromotionSeconds":null,"avgAcknowledgmentTimeSeconds":null,"decayEvents":0})");
  opening::queue q;
  q.job = {7};
  q.waitlist.push_back({{70'000'001}, {1}, "Ada", 1, noon, 0, std::nullopt});
  REQUIRE(to_json(q) ==
          R"({"jobId":7,"jobTitle":"","capacity":0,"activeCount":0,"waitlistEntries":[{"applicationId":70000001,)"
          R"("applicantId":1,"applicantName":"Ada","position":1,"appliedAt":"2026-03-01T12:00:00.000Z",)"
          R"("penaltyCount":0,"etaSeconds":null}]})");
  pipeline_entry e;
  e.applied_at = noon;
  REQUIRE(
      to_json(e) ==
      R"({"applicationId":0,"applicantId":0,"applicantName":"","applicantEmail":"","status":"WAITLIST",)"
      R"("queuePosition":null,"appliedAt":"2026-03-01T12:00:00.000Z","promotedAt":null,"acknowledgeDeadline":null})");
  application_status st;
  st.applied_at = noon;
  REQUIRE(to_json(st) == R"({"applicationId":0,"jobId":0,"jobTitle":"","status":"INACTIVE","queuePosition":null,)"
                         R"("appliedAt":"2026-03-01T12:00:00.000Z","promotedAt":null,"acknowledgeDeadline":null,)"
                         R"("timeInCurrentStateSeconds":0,"etaSeconds":null,"penaltyCount":0})");
}

TEST_CASE("every named value has one name and is found by it") {
  has_names<opening::status>();
  has_names<opening::phase>();
  has_names<opening::party>();
  has_names<code>();
}

TEST_CASE("refusals have the codes of the contract") {
  for (const auto* wanted : {"VALIDATION_ERROR",
                             "BAD_JOB_STATUS",
                             "UNAUTHENTICATED",
                             "FORBIDDEN",
                             "NOT_FOUND",
                             "METHOD_NOT_ALLOWED",
                             "NOT_ACCEPTABLE",
                             "TIMEOUT",
                             "CONFLICT",
                             "DUPLICATE_SUBMISSION",
                             "OPENING_CLOSED",
                             "ALREADY_CLAIMED",
                             "RUN_ID_TAKEN",
                             "STALE_RUN",
                             "DUPLICATE_JOB",
                             "STALE_LEASE",
                             "CANCELLED",
                             "AMBIGUOUS_ID",
                             "SUBMITTING",
                             "IN_PROGRESS",
                             "GONE",
                             "PRECONDITION_FAILED",
                             "PAYLOAD_TOO_LARGE",
                             "UNSUPPORTED_MEDIA_TYPE",
                             "EXPECTATION_FAILED",
                             "INVALID_TRANSITION",
                             "IDEMPOTENCY_MISMATCH",
                             "RATE_LIMITED",
                             "HEADERS_TOO_LARGE",
                             "INTERNAL",
                             "OVERLOADED",
                             "NOT_APPLIED",
                             "OUTCOME_UNKNOWN",
                             "STORE_FULL",
                             "MOVING",
                             "ENTITY_QUARANTINED"}) {
    INFO(wanted);
    REQUIRE(from_name<code>(wanted));
  }
  REQUIRE(name(code::entity_quarantined) == "ENTITY_QUARANTINED");
  REQUIRE(name(code::duplicate_submission) == "DUPLICATE_SUBMISSION");
  REQUIRE(name(code::gone) == "GONE");
}

TEST_CASE("a shard comes out the same on every node and in every release") {
  REQUIRE(stable_hash("") == 0xcbf29ce484222325ULL);
  REQUIRE(stable_hash("a") == 0xaf63dc4c8601ec8cULL);
  REQUIRE(stable_hash("foobar") == 0x85944171f73967e8ULL);
  REQUIRE(shard_count == 256);
  REQUIRE(shard_of("opening", "1") == 136);
  REQUIRE(shard_of("opening", "7") == 122);
  REQUIRE(shard_of("opening", "900719925") == 93);
  REQUIRE(shard_of("queue", "default") == 167);
  REQUIRE(shard_of("board_job", "acme:\xC3\xBC") == 102);
}

TEST_CASE("shards are about evenly filled") {
  std::array<int, shard_count> filled{};
  for (int i = 1; i <= 25'600; ++i)
    ++filled[static_cast<std::size_t>(shard_of("opening", std::to_string(i)))];
  for (const auto n : filled) {
    REQUIRE(n > 50);
    REQUIRE(n < 150);
  }
}

TEST_CASE("a table is what its row lists") {
  const auto& people = table_of<applicant_row>();
  REQUIRE(people.name == "applicants");
  REQUIRE(people.key_columns == 1);
  REQUIRE(people.columns.size() == 4);
  REQUIRE(people.conflict == "email");
  REQUIRE(people.columns[people.name_column].name == "email");
  REQUIRE(people.first_writer_wins);
  const auto row = to_row(applicant_row{{5}, "Ada", "ada@example.org", noon});
  REQUIRE(std::get<std::int64_t>(row.values[0]) == 5);
  REQUIRE(std::get<std::string>(row.values[2]) == "ada@example.org");
  REQUIRE(std::get<std::int64_t>(row.values[3]) == to_ms(noon));
}
