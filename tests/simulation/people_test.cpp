#include "openings.hpp"
#include "second_writer.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::simulation;

namespace {

using persistence::batch;

const std::string ada = "ada@example.org";

applicant_id applicant_in(const std::shared_ptr<opening_probe>& p) {
  return p->get<opening::application_result>().applicant;
}

/// Before the next commit a stranger registers this address.
void takes(opening_world& w, const std::string& email, std::int64_t id = 777) {
  w.store.next([&w, email, id](const batch& b, persistence::store& inner) {
    second_writer{w.faults->behind(), w.now()}.put(to_row(applicant_row{{id}, "Stranger", email, w.now()}));
    return inner.commit(b);
  });
}

std::int64_t rows_of(opening_world& w, const std::string& email) {
  return w.count("select count(*) from applicants where email = '" + email + "'");
}

}  // namespace

TEST_CASE("who applies for the first time is registered by the same commit") {
  opening_world w;
  const auto id = w.create(job(1));
  const auto commits = w.store.commits();
  const auto p = w.send_public(id, ada);
  w.settle();
  REQUIRE(p->accepted());
  CHECK(w.store.commits() == commits + 1);
  CHECK(rows_of(w, ada) == 1);
  CHECK(w.count("select id from applicants") == applicant_in(p).value);
}

TEST_CASE("an address that somebody else took before the commit is resolved again, not refused") {
  opening_world w;
  const auto a = w.create(job(1));
  const auto b = w.create(job(1));
  takes(w, ada);
  const auto lost = w.send_public(a, ada);
  const auto before = w.send(a, by(5));
  const auto other = w.send_public(b, "eve@example.org");
  w.settle();
  REQUIRE(lost->accepted());
  CHECK(lost->answers == 1);
  CHECK(applicant_in(lost) == applicant_id{777});
  CHECK(w.events_of(*lost) == 1);
  CHECK(before->accepted());
  CHECK(before->answers == 1);
  CHECK(other->accepted());
  CHECK(rows_of(w, ada) == 1);
  CHECK(w.count("select count(*) from applications where applicant = 777") == 1);
  CHECK(w.verified());
}

TEST_CASE("an address lost by several openings at once is resolved for each of them") {
  opening_world w;
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i)
    ids.push_back(w.create(job(1)));
  takes(w, ada);
  std::vector<std::shared_ptr<opening_probe>> all;
  for (const auto& id : ids)
    all.push_back(w.send_public(id, ada));
  w.settle();
  for (const auto& p : all) {
    REQUIRE(p->accepted());
    CHECK(applicant_in(p) == applicant_id{777});
  }
  CHECK(rows_of(w, ada) == 1);
  CHECK(w.verified());
}

TEST_CASE("a lost address found out by a resend is resolved again") {
  opening_world w;
  const auto id = w.create(job(1));
  w.store.fails(commit_status::unknown);
  takes(w, ada);
  const auto p = w.send_public(id, ada);
  w.pass(1s);
  REQUIRE(p->accepted());
  CHECK(applicant_in(p) == applicant_id{777});
  CHECK(w.verified());
}

TEST_CASE("one new address at two openings is one applicant, in one batch") {
  opening_world w;
  const auto a = w.create(job(1));
  const auto b = w.create(job(1));
  const auto commits = w.store.commits();
  const auto one = w.send_public(a, ada);
  const auto two = w.send_public(b, ada);
  w.settle();
  REQUIRE(one->accepted());
  REQUIRE(two->accepted());
  CHECK(applicant_in(one) == applicant_in(two));
  CHECK(rows_of(w, ada) == 1);
  CHECK(w.store.commits() == commits + 1);
}

TEST_CASE("one new address at two openings is one applicant, in two batches") {
  opening_world w;
  const auto a = w.create(job(1));
  const auto b = w.create(job(1));
  w.store.fails(commit_status::transient);
  const auto one = w.send_public(a, ada);
  w.settle();  // in flight
  const auto two = w.send_public(b, ada);
  w.pass(1s);
  REQUIRE(one->accepted());
  REQUIRE(two->accepted());
  CHECK(applicant_in(one) == applicant_in(two));
  CHECK(rows_of(w, ada) == 1);
  CHECK(w.node->writer.counted().fenced == 0);
}

TEST_CASE("when one of two that brought an address is refused, the other still brings it") {
  opening_world w;
  const auto closed = w.create(job(1));
  const auto open = w.create(job(1));
  w.ask(closed, with_phase(opening::phase::closed));
  const auto no = w.send_public(closed, ada);
  const auto yes = w.send_public(open, ada);
  w.settle();
  CHECK(no->refused(code::opening_closed));
  REQUIRE(yes->accepted());
  CHECK(rows_of(w, ada) == 1);
  CHECK(w.count("select id from applicants") == applicant_in(yes).value);
}

TEST_CASE("when one of two that brought an address is cut, the other still brings it") {
  opening_world w;
  const auto a = w.create(job(1));
  const auto b = w.create(job(1));
  const bool first_is_cut = GENERATE(true, false);
  w.store.next([&w, moved = first_is_cut ? a : b](const batch& batch, persistence::store& inner) {
    second_writer{w.faults->behind(), w.now()}.decides<opening::kind>(moved, by(99));
    return inner.commit(batch);
  });
  const auto one = w.send_public(a, ada);
  const auto two = w.send_public(b, ada);
  w.settle();
  REQUIRE(one->accepted());
  REQUIRE(two->accepted());
  CHECK(applicant_in(one) == applicant_in(two));
  CHECK(rows_of(w, ada) == 1);
  CHECK(w.verified());
}

TEST_CASE("when one of two that brought an address is poison, the other still brings it") {
  opening_world w;
  const auto a = w.create(job(1));
  const auto b = w.create(job(1));
  w.faults->on_commit = [a](const batch& batch, persistence::store&) {
    const bool offends =
        std::any_of(batch.heads.begin(), batch.heads.end(), [&](const auto& h) { return h.entity->key == a; });
    return offends ? std::optional{store_faults::outcome(commit_status::poison)} : std::nullopt;
  };
  const auto one = w.send_public(a, ada);
  const auto two = w.send_public(b, ada);
  w.settle();
  CHECK(one->refused(code::internal));
  REQUIRE(two->accepted());
  CHECK(rows_of(w, ada) == 1);
  CHECK(w.count("select id from applicants") == applicant_in(two).value);
}

TEST_CASE("a request that fails leaves no applicant behind") {
  opening_world w;
  const auto closed = w.create(job(1));
  w.ask(closed, with_phase(opening::phase::closed));
  w.send_public(closed, ada);
  w.settle();
  CHECK(w.count("select count(*) from applicants") == 0);
  w.faults->stays(commit_status::transient);
  const auto id = w.create(job(1));
  w.pass(6s);
  w.faults->clears();
  w.pass(2s);
  const auto p = w.send_public(id, ada);  // does not exist: its create failed
  w.settle();
  CHECK(p->refused(code::not_found));
  CHECK(w.count("select count(*) from applicants") == 0);
}

TEST_CASE("an address keeps its id while anybody carries it, and the store decides afterwards") {
  opening_world w;
  const auto a = w.create(job(1));
  const auto b = w.create(job(1));
  w.store.fails(commit_status::transient, 5);
  const auto one = w.send_public(a, ada);
  w.pass(50ms);
  const auto two = w.send_public(b, ada);
  w.pass(3s);
  w.pass(120s);  // nobody holds the row any more
  const auto c = w.create(job(1));
  const auto three = w.send_public(c, ada);
  w.settle();
  CHECK(applicant_in(one) == applicant_in(two));
  CHECK(applicant_in(two) == applicant_in(three));
  CHECK(rows_of(w, ada) == 1);
}

TEST_CASE("simultaneous applies of few new addresses to many openings give one applicant each") {
  opening_world w;
  w.permuted = true;
  std::vector<std::string> ids;
  for (int i = 0; i < 10; ++i)
    ids.push_back(w.create(job(2)));
  std::vector<std::shared_ptr<opening_probe>> all;
  for (const auto& id : ids)
    for (int e = 0; e < 5; ++e)
      all.push_back(w.send_public(id, "p" + std::to_string(e) + "@example.org"));
  w.settle();
  CHECK(std::all_of(all.begin(), all.end(), [](const auto& p) { return p->accepted(); }));
  CHECK(w.count("select count(*) from applicants") == 5);
  CHECK(w.count("select count(distinct applicant) from applications") == 5);
  CHECK(w.verified());
}

TEST_CASE("a directory that cannot look up says that nothing was written") {
  opening_world w;
  const auto id = w.create(job(1));
  w.store.fails_reads(1);
  const auto p = w.send_public(id, ada);
  w.settle();
  CHECK(p->refused(code::not_applied));
  CHECK(w.count("select count(*) from applicants") == 0);
}

// Registrations

TEST_CASE("of two registrations of one address one wins and the other hears that it is taken") {
  opening_world w;
  const auto one = w.send_registration("Ada", ada);
  const auto two = w.send_registration("Imposter", ada);
  w.settle();
  CHECK(one->answers == 1);
  CHECK(two->answers == 1);
  CHECK(one->result.has_value() != two->result.has_value());
  const auto& loser = one->result ? two : one;
  REQUIRE(loser->no);
  CHECK(loser->no->what == code::conflict);
  CHECK(rows_of(w, ada) == 1);
}

TEST_CASE("a registration that meets an application of the same new address does not double the person") {
  opening_world w;
  w.permuted = true;
  const auto id = w.create(job(1));
  const auto applied = w.send_public(id, ada);
  const auto registered = w.send_registration("Ada", ada);
  w.settle();
  REQUIRE(applied->accepted());
  CHECK(registered->answers == 1);
  CHECK(rows_of(w, ada) == 1);
  CHECK(w.count("select id from applicants") == applicant_in(applied).value);
  CHECK(w.verified());
}

TEST_CASE("a registration sent twice with one key is one registration") {
  opening_world w;
  const auto one = w.send_registration("Ada", ada, "key");
  const auto two = w.send_registration("Ada", ada, "key");
  w.settle();
  CHECK(one->result.has_value() + two->result.has_value() == 1);
  CHECK(one->again.has_value() + two->again.has_value() == 1);
  const auto three = w.send_registration("Ada", ada, "key");
  w.settle();
  CHECK(three->again);
  CHECK(rows_of(w, ada) == 1);
}

TEST_CASE("a registration while the store is away is told that nothing was written") {
  opening_world w;
  w.faults->stays(commit_status::transient);
  const auto p = w.send_registration("Ada", ada);
  w.pass(6s);
  REQUIRE(p->no);
  CHECK(p->no->what == code::not_applied);
  w.faults->clears();
  w.pass(2s);
  CHECK(rows_of(w, ada) == 0);
  const auto again = w.send_registration("Ada", ada);
  w.settle();
  CHECK(again->result);
}

// What belongs to other tests but needs an address

TEST_CASE("an application whose key somebody else used first does not look its address up again") {
  opening_world w;
  const auto id = w.create(job(5));
  w.store.next([&w, id](const batch& b, persistence::store& inner) {
    second_writer{w.faults->behind(), w.now()}.answers(id + "/key", "{\"from\":\"elsewhere\"}");
    return inner.commit(b);
  });
  const auto p = w.send_public(id, ada, "key");
  w.settle();
  REQUIRE(p->replayed());
  CHECK(p->again->body == "{\"from\":\"elsewhere\"}");
  CHECK(w.questions == 1);  // its key was taken, not its address
  CHECK(w.count("select count(*) from applications") == 0);
  CHECK(w.verified());
}

TEST_CASE("the directory does not know people whom a store that went back in time does not know") {
  opening_world w;
  const auto id = w.create(job(5));
  const std::vector<std::string> tables{"writers",    "heads",    "journal",        "timers",       "requests",
                                        "applicants", "openings", "opening_counts", "applications", "ids"};
  for (const auto& t : tables)
    w.write("create table backup_" + t + " as select * from " + t);
  w.send_public(id, ada);
  w.settle();
  for (const auto& t : tables) {
    w.write("delete from " + t);
    w.write("insert into " + t + " select * from backup_" + t);
  }
  w.send(id, by(3));
  w.pass(1s);
  CHECK(w.has_warning("not as we left it"));
  const auto early = w.send_public(id, ada);
  w.settle();
  CHECK(early->refused(code::not_applied));  // ids have to be asked for anew
  const auto later = w.send_public(id, ada);
  w.settle();
  REQUIRE(later->accepted());
  CHECK(rows_of(w, ada) == 1);
  CHECK(w.verified());
}
