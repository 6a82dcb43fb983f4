#include "actors/board_job/rows.hpp"
#include "actors/opening/rows.hpp"
#include "persistence/spine_rows.hpp"
#include "tests/store/backends.hpp"
#include "tests/store/draft.hpp"

#include <algorithm>

// Batches that must not commit: nothing of them may be written.

using namespace callboard;
using namespace callboard::persistence;
using namespace callboard::test;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> keys_of(const commit_outcome& out) {
  std::vector<std::string> keys;
  for (const auto& e : out.heads)
    keys.push_back(e.key);
  return keys;
}

/// Everything that batches can change, to compare before and after a refused one.
template <class Backend>
std::vector<std::int64_t> contents(opened<Backend>& s) {
  return {s.number("select batch from writers where node = 'node'"),
          s.number("select count(*) from journal"),
          s.number("select coalesce(sum(seq), 0) from heads"),
          s.number("select count(*) from applicants"),
          s.number("select count(*) from requests"),
          s.number("select count(*) from timers")};
}

request_row request(std::string digest, instant at, std::string body = "{}") {
  return {{std::move(digest)}, {"print"}, 200, std::move(body), at};
}

}  // namespace

TEMPLATE_TEST_CASE("a head that moved stops the batch and is named", "[store]", memory, file, postgres) {
  opened<TestType> s;
  REQUIRE(s.store->commit(draft{1}.event("1", 0).event("2", 0).event("3", 0)).how == commit_status::committed);
  const auto before = contents(s);
  draft d{2};
  d.event("1", 1).event("2", 4).event("3", 1).event("4", 0).event("5", 2);
  d.put(person(1, "a")).put(timer_row{"opening", "1", 0, noon});
  const auto out = s.store->commit(d);
  CHECK(out.how == commit_status::head_moved);
  auto keys = keys_of(out);
  std::sort(keys.begin(), keys.end());
  CHECK(keys == std::vector<std::string>{"2", "5"});
  for (const auto& e : out.heads)
    CHECK(e.kind == "opening");
  CHECK(contents(s) == before);
  CHECK(s.store->commit(draft{2}.event("1", 1).event("3", 1).event("4", 0)).last_position > 3);
}

TEMPLATE_TEST_CASE("creating an entity that exists is a moved head", "[store]", memory, file, postgres) {
  opened<TestType> s;
  REQUIRE(s.store->commit(draft{1}.event("one \"1\"", 0)).how == commit_status::committed);
  const auto before = contents(s);
  const auto out = s.store->commit(draft{2}.event("one \"1\"", 0).event("2", 0));
  CHECK(out.how == commit_status::head_moved);
  CHECK(keys_of(out) == std::vector<std::string>{"one \"1\""});
  CHECK(contents(s) == before);
}

TEMPLATE_TEST_CASE("an event that the journal holds already is a moved head", "[store]", memory, file, postgres) {
  opened<TestType> s;
  REQUIRE(s.store->commit(draft{1}.event("1", 0).event("1", 0).event("2", 0)).how == commit_status::committed);
  s.write("update heads set seq = 1 where key = '1'");
  const auto before = contents(s);
  const auto out = s.store->commit(draft{2}.event("2", 1).event("1", 1).put(person(1, "a")));
  CHECK(out.how == commit_status::head_moved);
  CHECK(keys_of(out) == std::vector<std::string>{"1"});
  CHECK(contents(s) == before);
}

TEMPLATE_TEST_CASE("an e-mail belongs to the id that came first", "[store]", memory, file, postgres) {
  opened<TestType> s;
  REQUIRE(s.store->commit(draft{1}.put(person(1, "ada@example.com", "Ada"))).how == commit_status::committed);
  // The same owner again: counts as written, and nothing changes.
  REQUIRE(s.store->commit(draft{2}.put(person(1, "ada@example.com", "Somebody"))).how == commit_status::committed);
  CHECK(s.text("select name from applicants where id = 1") == "Ada");
  const auto before = contents(s);
  draft d{3};
  d.event("1", 0).put(person(2, "bob@example.com")).put(person(3, "ada@example.com"));
  d.put(timer_row{"opening", "1", 0, noon});
  const auto out = s.store->commit(d);
  REQUIRE(out.how == commit_status::name_taken);
  REQUIRE(out.names.size() == 1);
  CHECK(out.names[0].in == &table_of<applicant_row>());
  CHECK(out.names[0].name == "ada@example.com");
  CHECK(out.why.find("ada@") == std::string::npos);
  CHECK(contents(s) == before);
}

TEMPLATE_TEST_CASE("a request key belongs to the first request for a day", "[store]", memory, file, postgres) {
  opened<TestType> s;
  const std::string digest{"\0\xff key", 6};
  REQUIRE(s.store->commit(draft{1}.put(request(digest, noon, "first"))).how == commit_status::committed);
  const auto before = contents(s);
  draft d{2};
  d.put(request(digest, noon + 24h, "second")).put(request("other", noon)).put(person(1, "a")).event("1", 0);
  const auto out = s.store->commit(d);
  REQUIRE(out.how == commit_status::name_taken);
  REQUIRE(out.names.size() == 1);
  CHECK(out.names[0].in == &table_of<request_row>());
  CHECK(out.names[0].name == digest);
  CHECK(contents(s) == before);
  REQUIRE(s.store->commit(draft{2}.put(request(digest, noon + 24h + 1ms, "third"))).how == commit_status::committed);
  CHECK(s.text("select body from requests") == "third");
}

TEMPLATE_TEST_CASE("a run id belongs to the claim that came first, also on its own job", "[store]", memory, file,
                   postgres) {
  opened<TestType> s;
  board_job::run_row r{};
  r.run_id = "r1";
  r.board = "acme";
  r.job_id = "7";
  r.n = 1;
  REQUIRE(s.store->commit(draft{1}.put(r)).how == commit_status::committed);
  r.status = board_job::run_status::submitted;
  REQUIRE(s.store->commit(draft{2}.put(r)).how == commit_status::committed);
  auto other = r;
  SECTION("another claim of the job") { other.n = 3; }
  SECTION("another job") { other.job_id = "8"; }
  const auto out = s.store->commit(draft{3}.put(other));
  REQUIRE(out.how == commit_status::name_taken);
  REQUIRE(out.names.size() == 1);
  CHECK(out.names[0].name == "r1");
}

TEMPLATE_TEST_CASE("taken names of several tables are reported at once", "[store]", memory, file, postgres) {
  opened<TestType> s;
  REQUIRE(s.store->commit(draft{1}.put(person(1, "a")).put(person(2, "b")).put(request("r", noon))).how ==
          commit_status::committed);
  draft d{2};
  d.put(person(3, "a")).put(person(4, "b")).put(person(5, "c")).put(request("r", noon));
  const auto out = s.store->commit(d);
  REQUIRE(out.how == commit_status::name_taken);
  std::vector<std::string> names;
  for (const auto& n : out.names)
    names.push_back(std::string{n.in->name} + " " + n.name);
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"applicants a", "applicants b", "requests r"});
}

TEMPLATE_TEST_CASE("a poisoned batch writes nothing", "[store]", memory, file, postgres) {
  opened<TestType> s;
  REQUIRE(s.store->commit(draft{1}.event("1", 0).put(person(1, "a"))).how == commit_status::committed);
  const auto before = contents(s);

  SECTION("a null where none may be") {
    auto r = to_row(timer_row{"opening", "1", 0, noon});
    r.values[3] = std::monostate{};
    CHECK(s.store->commit(draft{2}.event("1", 1).put(person(2, "b")).put(r)).how == commit_status::poison);
  }
  SECTION("a text with a NUL in a row") {
    CHECK(s.store->commit(draft{2}.event("1", 1).put(person(2, "b", std::string{"x\0y", 3}))).how ==
          commit_status::poison);
  }
  SECTION("a text with a NUL in an event") {
    CHECK(s.store->commit(draft{2}.event("1", 1, std::string{"x\0y", 3}).put(person(2, "b"))).how ==
          commit_status::poison);
  }
  SECTION("an id that is another person's") {
    CHECK(s.store->commit(draft{2}.event("1", 1).put(person(1, "b"))).how == commit_status::poison);
  }
  CHECK(contents(s) == before);
  CHECK(s.store->commit(draft{2}.event("1", 1).put(person(2, "b"))).how == commit_status::committed);
}

TEMPLATE_TEST_CASE("the reason of a failed batch contains no values", "[store]", memory, file, postgres) {
  opened<TestType> s;
  REQUIRE(s.store->commit(draft{1}.put(person(1, "ada@example.com"))).how == commit_status::committed);
  const auto taken_id = s.store->commit(draft{2}.put(person(1, "secret@example.com", "Secret")));
  const auto broken = s.store->commit(draft{2}.put(person(2, "secret@example.com", std::string{"Secret\0", 7})));
  CHECK(taken_id.how == commit_status::poison);
  CHECK(broken.how == commit_status::poison);
  for (const auto& why : {taken_id.why, broken.why}) {
    CHECK_FALSE(why.empty());
    CHECK(why.find("ecret") == std::string::npos);
  }
}

TEMPLATE_TEST_CASE("an identical batch sent again commits once", "[store]", memory, file, postgres) {
  opened<TestType> s;
  draft d{1};
  d.event("1", 0).event("1", 0).put(person(1, "a")).put(request("r", noon));
  REQUIRE(s.store->commit(d).last_position == 2);
  const auto before = contents(s);
  CHECK(s.store->reconnect() == 1);
  const auto again = s.store->commit(d);
  CHECK(again.how == commit_status::committed);
  CHECK(again.last_position == 2);
  CHECK(contents(s) == before);
  CHECK(s.store->commit(draft{2}.event("1", 2)).last_position > 2);
}

TEMPLATE_TEST_CASE("a store that went back in time is detected", "[store]", memory, file, postgres) {
  opened<TestType> s;
  for (std::int64_t n = 1; n <= 4; ++n)
    REQUIRE(s.store->commit(draft{n}.event("1", n - 1)).how == commit_status::committed);
  s.write("update writers set batch = 2");
  const auto before = contents(s);
  CHECK(s.store->commit(draft{5}.event("1", 4)).how == commit_status::backwards);
  CHECK(s.store->reconnect() == 2);
  CHECK(contents(s) == before);
  s.write("update writers set batch = 9");
  CHECK(s.store->commit(draft{5}.event("1", 4)).how == commit_status::unknown);
}
