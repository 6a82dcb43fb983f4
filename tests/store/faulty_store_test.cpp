#include "tests/faults/faulty_store.hpp"
#include "tests/store/backends.hpp"
#include "tests/store/draft.hpp"

// faulty_store must fail as real stores do.

using namespace callboard;
using namespace callboard::persistence;
using namespace callboard::test;

namespace {

struct scripted {
  faulty_store store{make_store("sqlite::memory:")};
  std::int64_t last = store.open("node");
  std::unique_ptr<reader> reading = store.open_reader();
  std::int64_t events() {
    std::int64_t n = -1;
    reading->query("select count(*) from journal", {}, [&](const result_row& r) { n = r.integer(0); });
    return n;
  }
};

}  // namespace

TEST_CASE("failures before the commit leave nothing", "[store][faulty]") {
  scripted s;
  s.store.fails(commit_status::transient, 2);
  s.store.fails(commit_status::full);
  draft d{1};
  d.event("1", 0);
  CHECK(s.store.commit(d).how == commit_status::transient);
  CHECK(s.store.commit(d).how == commit_status::transient);
  CHECK(s.store.commit(d).how == commit_status::full);
  CHECK(s.events() == 0);
  CHECK(s.store.commit(d).how == commit_status::committed);
  CHECK(s.store.commits() == 4);
}

TEST_CASE("a lost reply has committed, a lost statement has not, a late one does later", "[store][faulty]") {
  scripted s;
  s.store.loses_reply();
  draft first{1};
  first.event("1", 0);
  CHECK(s.store.commit(first).how == commit_status::unknown);
  CHECK(s.events() == 1);
  CHECK(s.store.reconnect() == 1);
  CHECK(s.store.commit(first).how == commit_status::committed);
  CHECK(s.events() == 1);

  s.store.fails(commit_status::unknown);
  draft second{2};
  second.event("1", 1);
  CHECK(s.store.commit(second).how == commit_status::unknown);
  CHECK(s.store.reconnect() == 1);
  CHECK(s.store.commit(second).how == commit_status::committed);

  s.store.commits_late();
  {
    draft third{3};
    third.event("1", 2, "{\"late\":true}", "subject").put(person(1, "ada@example.com"));
    CHECK(s.store.commit(third).how == commit_status::unknown);
  }
  CHECK(s.events() == 2);
  s.store.fails_reconnects(1);
  CHECK_THROWS_AS(s.store.reconnect(), store_error);
  CHECK(s.events() == 2);
  CHECK(s.store.reconnect() == 3);
  CHECK(s.events() == 3);
  CHECK(s.store.reconnects() == 4);
}

TEST_CASE("a second writer moves a head", "[store][faulty]") {
  scripted s;
  REQUIRE(s.store.commit(draft{1}.event("1", 0).event("2", 0)).how == commit_status::committed);
  s.store.moves_head({"opening", "1"});
  const auto out = s.store.commit(draft{2}.event("1", 1).event("2", 1));
  REQUIRE(out.how == commit_status::head_moved);
  REQUIRE(out.heads.size() == 1);
  CHECK(out.heads[0].key == "1");
}

TEST_CASE("reads fail as often as the script says", "[store][faulty]") {
  scripted s;
  s.store.fails_reads(2);
  CHECK_THROWS_AS(s.events(), store_error);
  CHECK_THROWS_AS(s.events(), store_error);
  CHECK(s.events() == 0);
}
