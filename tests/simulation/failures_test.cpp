#include "openings.hpp"
#include "second_writer.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::simulation;

namespace {

using persistence::batch;
using persistence::commit_outcome;

/// The store refuses every batch that holds an application of this applicant.
store_faults::influence refuses(std::int64_t applicant) {
  return [part = "\"applicantId\":" + std::to_string(applicant) + ","](const batch& b, persistence::store&) {
    const bool offends = std::any_of(b.lines.begin(), b.lines.end(),
                                     [&](const auto& l) { return l.data->find(part) != std::string::npos; });
    return offends ? std::optional{store_faults::outcome(commit_status::poison)} : std::nullopt;
  };
}

/// Before the next commit somebody else decides this.
void interferes(world& w, const std::string& job_id, opening::command c) {
  w.store.next([&w, job_id, c](const batch& b, persistence::store& inner) {
    second_writer{w.faults->behind(), w.now()}.decides(job_id, c);
    return inner.commit(b);
  });
}

}  // namespace

// Certainly not committed, transient

TEST_CASE("a batch that fails for a while is sent again and answered once") {
  world w;
  const auto id = w.create(job(1));
  const int times = GENERATE(1, 2, 10);
  const auto commits = w.store.commits();
  w.store.fails(commit_status::transient, times);
  const auto p = w.send(id, by(1));
  w.settle();
  CHECK(p->answers == 0);
  w.pass(3s);
  CHECK(p->accepted());
  CHECK(p->answers == 1);
  CHECK(w.store.commits() == commits + times + 1);
  CHECK(w.events_of(*p) == 1);
  CHECK(w.verified());
}

TEST_CASE("when patience is over everything queued is told that nothing was written, and nothing was") {
  world w;
  const auto a = w.create(job(1));
  const auto b = w.create(job(1));
  w.faults->stays(commit_status::transient);
  const auto in_flight = w.send(a, by(1));
  w.settle();
  const auto behind = w.send(a, by(2));
  const auto other = w.send(b, by(1));
  const auto saw = w.send_read(a, opening::show{});
  const auto refused = w.send(a, by(1));
  w.pass(4'900ms);
  CHECK(in_flight->answers + behind->answers + other->answers + saw->answers + refused->answers == 0);
  w.pass(500ms);
  for (const auto& p : {in_flight, behind, other, saw, refused}) {
    CHECK(p->refused(code::not_applied));
    CHECK(p->answers == 1);
  }
  w.faults->clears();
  w.pass(2s);
  CHECK(w.read(a, opening::show{})->get<opening::job>().active_count == 0);
  const auto later = w.ask(a, by(3));
  REQUIRE(later->accepted());
  CHECK(later->get<opening::application_result>().application == nth(a, 1));
  CHECK(w.ask(b, by(1))->accepted());
  CHECK(w.count("select count(*) from applications") == 2);
  CHECK(w.verified());
}

TEST_CASE("while the store goes on refusing a no comes at once") {
  world w;
  const auto id = w.create(job(1));
  w.faults->stays(commit_status::transient);
  w.send(id, by(1));
  w.pass(6s);
  const auto p = w.ask(id, by(2));
  CHECK(p->refused(code::not_applied));
  w.faults->clears();
  w.pass(2s);
  CHECK(w.ask(id, by(2))->accepted());
}

TEST_CASE("a store without space says so, goes on reading and needs no restart") {
  world w;
  const auto id = w.create(job(1));
  w.faults->stays(commit_status::full);
  const auto p = w.send(id, by(1));
  w.pass(6s);
  CHECK(p->refused(code::store_full));
  CHECK(w.read(id, opening::show{})->accepted());
  w.faults->clears();
  w.pass(2s);
  CHECK(w.ask(id, by(1))->accepted());
  CHECK(w.verified());
}

// Head moved

TEST_CASE("a command whose entity was moved by somebody else is decided again on the new rows") {
  world w;
  const auto a = w.create(job(1));
  const auto b = w.create(job(1));
  interferes(w, a, by(99));
  const auto moved = w.send(a, by(1));
  const auto saw = w.send_read(a, opening::show{});
  const auto unmoved = w.send(b, by(1));
  w.settle();
  REQUIRE(moved->accepted());
  CHECK(moved->answers == 1);
  CHECK(moved->get<opening::application_result>().status == opening::status::waitlist);
  CHECK(saw->get<opening::job>().version == 3);
  REQUIRE(unmoved->accepted());
  CHECK(unmoved->get<opening::application_result>().status == opening::status::active);
  CHECK(w.node->writer.counted().fenced == 1);
  CHECK(w.has_warning("head moved"));
  CHECK(w.events_of(*moved) == 1);
  CHECK(w.events_of(*unmoved) == 1);
  CHECK(w.verified());
}

TEST_CASE("a head that stands elsewhere is enough, whatever the journal holds") {
  world w;
  const auto id = w.create(job(1));
  w.store.moves_head(the(id));  // without an event that could collide with ours
  const auto p = w.send(id, by(1));
  w.settle();
  CHECK(p->accepted());
  CHECK(p->version == 3);
  CHECK(w.node->writer.counted().fenced == 1);
}

TEST_CASE("what was handed back is decided in the order it came, before what came later") {
  world w;
  const auto id = w.create(job(1));
  interferes(w, id, by(99));
  std::vector<std::shared_ptr<opening_probe>> all;
  for (int i = 1; i <= 20; ++i)
    all.push_back(w.send(id, by(i)));
  w.settle_without_writer();
  w.node->writer.step();  // cut; the commands are on their way back
  for (int i = 21; i <= 40; ++i)
    all.push_back(w.send(id, by(i)));
  w.settle();
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE(all[i]->accepted());
    CHECK(all[i]->get<opening::application_result>().application == nth(id, static_cast<std::int64_t>(i) + 2));
  }
  CHECK(w.verified());
}

TEST_CASE("a command handed back past its deadline has changed nothing") {
  world w;
  const auto id = w.create(job(1));
  w.store.fails(commit_status::transient, 3);
  interferes(w, id, by(99));
  const auto p = w.send(id, by(1));
  p->deadline = w.steady() + 1ms;
  w.pass(1s);
  CHECK(p->refused(code::not_applied));
  CHECK(w.events_of(*p) == 0);
  CHECK(w.verified());
}

TEST_CASE("a moved head found out by a resend resolves the doubt") {
  world w;
  const auto id = w.create(job(1));
  w.store.fails(commit_status::unknown);
  interferes(w, id, by(99));
  const auto p = w.send(id, by(1));
  w.pass(1s);
  REQUIRE(p->accepted());
  CHECK(p->get<opening::application_result>().status == opening::status::waitlist);
  CHECK(w.verified());
}

TEST_CASE("an opening that somebody else created first refuses ours") {
  world w;
  const auto other = w.create(job(1));
  const auto p = w.send_create(job(3));
  const auto elsewhere = w.send(other, by(1));
  interferes(w, p->target.key, job(5));
  w.settle();
  CHECK(p->refused(code::conflict));
  CHECK(elsewhere->accepted());
  CHECK(w.read(p->target.key, opening::show{})->get<opening::job>().capacity == 5);
  CHECK(w.verified());
}

// Poison

TEST_CASE("of many appends only the one that the store refuses fails") {
  world w;
  std::vector<std::string> ids;
  for (int i = 0; i < 10; ++i)
    ids.push_back(w.create(job(2)));
  w.faults->on_commit = refuses(13);
  std::vector<std::shared_ptr<opening_probe>> good;
  std::shared_ptr<opening_probe> bad;
  const auto commits = w.store.commits();
  for (int round = 1; round <= 4; ++round)
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (round == 2 && i == 3)
        bad = w.send(ids[i], by(13));
      good.push_back(w.send(ids[i], by(100 + round)));
    }
  w.settle();
  CHECK(bad->refused(code::internal));
  CHECK(bad->answers == 1);
  CHECK(w.events_of(*bad) == 0);
  for (std::size_t i = 0; i < good.size(); ++i) {
    REQUIRE(good[i]->accepted());
    // Halving does not change an entity's order.
    CHECK(good[i]->get<opening::application_result>().application ==
          nth(ids[i % ids.size()], static_cast<std::int64_t>(i / ids.size()) + 1));
  }
  CHECK(w.node->writer.counted().poisoned == 1);
  CHECK(w.has_warning("refuses what passed"));
  CHECK(w.store.commits() - commits < 20);  // about twice the logarithm, not one by one
  CHECK(w.verified());
}

TEST_CASE("two offenders in one batch are both found") {
  world w;
  std::vector<std::shared_ptr<opening_probe>> good;
  std::vector<std::shared_ptr<opening_probe>> bad;
  std::vector<std::string> ids;
  for (int i = 0; i < 16; ++i)
    ids.push_back(w.create(job(2)));
  w.faults->on_commit = refuses(13);
  for (std::size_t i = 0; i < ids.size(); ++i)
    (i == 2 || i == 11 ? bad : good).push_back(w.send(ids[i], by(i == 2 || i == 11 ? 13 : 5)));
  w.settle();
  for (const auto& p : bad)
    CHECK(p->refused(code::internal));
  for (const auto& p : good)
    CHECK(p->accepted());
  w.faults->clears();
  CHECK(w.ask(ids[2], by(14))->accepted());
  CHECK(w.verified());
}

TEST_CASE("after poison batches are large again") {
  world w;
  const auto id = w.create(job(100));
  w.faults->on_commit = refuses(13);
  for (int i = 1; i <= 40; ++i)
    w.send(id, by(i));
  w.settle();
  w.faults->clears();
  const auto commits = w.store.commits();
  for (int i = 101; i <= 140; ++i)
    w.send(id, by(i));
  w.settle();
  CHECK(w.store.commits() == commits + 1);
}

TEST_CASE("poison found out by a resend fails only the offender") {
  world w;
  const auto a = w.create(job(1));
  const auto b = w.create(job(1));
  w.store.fails(commit_status::unknown);
  w.faults->on_commit = refuses(13);
  const auto bad = w.send(a, by(13));
  const auto good = w.send(b, by(1));
  w.pass(1s);
  CHECK(bad->refused(code::internal));
  CHECK(good->accepted());
  CHECK(w.verified());
}

// Store down

TEST_CASE("while the store is away residents are read and nothing else") {
  world w;
  const auto resident = w.create(job(1));
  const auto absent = w.create(job(1));
  w.pass(120s);
  w.ask(resident, by(1));
  w.faults->unreachable = true;
  const auto first = w.send(resident, by(2));
  w.pass(1s);
  CHECK(first->answers == 0);
  w.pass(5s);
  CHECK(first->refused(code::not_applied));
  // The dropped state could not be loaded again, so a read of it fails too; one that nobody changed goes on.
  CHECK(w.ask(resident, by(3))->refused(code::not_applied));
  CHECK(w.read(absent, opening::show{})->refused(code::not_applied));
  w.pass(60s);
  w.faults->clears();
  w.pass(3s);
  CHECK(w.ask(resident, by(2))->accepted());
  CHECK(w.read(absent, opening::show{})->accepted());
  CHECK(w.verified());
}

TEST_CASE("a resident with nothing pending is read however long the store is away") {
  world w;
  const auto quiet = w.create(job(1));
  const auto busy = w.create(job(1));
  w.faults->unreachable = true;
  w.send(busy, by(1));
  w.pass(10s);
  CHECK(w.read(quiet, opening::show{})->accepted());
  const auto p = w.send(quiet, by(1));
  w.settle();
  CHECK(p->refused(code::not_applied));
  CHECK(w.read(quiet, opening::show{})->accepted());
  w.faults->clears();
  w.pass(3s);
  CHECK(w.ask(quiet, by(1))->accepted());
}

TEST_CASE("an offer that is due while the store is away decays soon after it is back") {
  world w;
  const auto id = w.create(job(1, 20));
  w.ask(id, by(1));
  w.ask(id, by(2));
  w.ask(id, by(3));
  w.ask(id, leaves(id, 1));
  w.faults->unreachable = true;
  const auto p = w.send(id, by(4));
  w.pass(90s);
  CHECK(p->refused(code::not_applied));
  w.faults->clears();
  w.pass(3s);
  CHECK(w.count(count_of("DECAY_TRIGGERED")) == 1);
  CHECK(w.count(count_of("PROMOTED")) == 2);
  CHECK(w.verified());
}

// Store back in time

namespace {

constexpr const char* tables[] = {"writers",    "heads",    "journal",        "timers",       "requests",
                                  "applicants", "openings", "opening_counts", "applications", "ids"};

void backs_up(world& w) {
  for (const std::string t : tables)
    w.write("create table backup_" + t + " as select * from " + t);
}

void restores(world& w) {
  for (const std::string t : tables) {
    w.write("delete from " + t);
    w.write("insert into " + t + " select * from backup_" + t);
  }
}

}  // namespace

TEST_CASE("a store that went back in time is loaded anew, loudly") {
  world w;
  const auto a = w.create(job(5));
  const auto b = w.create(job(5));
  w.ask(a, by(1));
  backs_up(w);
  w.ask(a, by(2));
  w.ask(b, by(1));
  w.send_public(b, "ada@example.org");
  w.settle();
  restores(w);
  const auto p = w.send(a, by(3));
  w.pass(1s);
  CHECK(p->answers == 1);
  CHECK_FALSE(p->accepted());
  CHECK(w.has_warning("not as we left it"));
  // Residents do not show what never happened, also those that nobody writes to.
  CHECK(w.read(b, opening::show{})->get<opening::job>().version == 1);
  CHECK(w.read(a, opening::show{})->get<opening::job>().active_count == 1);
  CHECK(w.ask(a, by(3))->accepted());
  // Nor does the directory know people whom the store does not know.
  const auto early = w.send_public(b, "ada@example.org");
  w.settle();
  CHECK(early->refused(code::not_applied));  // ids have to be asked for anew
  const auto ada = w.send_public(b, "ada@example.org");
  w.settle();
  REQUIRE(ada->accepted());
  CHECK(w.count("select count(*) from applicants where email = 'ada@example.org'") == 1);
  CHECK(w.verified());
}

TEST_CASE("ids given out by a store that went back in time are not used twice") {
  world w;
  backs_up(w);
  const auto lost = w.create(job(1));
  for (int i = 0; i < 12; ++i)
    w.create(job(1));
  restores(w);
  w.send(lost, by(1));
  w.pass(2s);
  w.node->ids.next("openings", w.node->writer);  // asks for a block
  w.settle();
  for (int i = 0; i < 150; ++i) {
    const auto p = w.send_create(job(1));
    w.settle();
    REQUIRE(p->accepted());
  }
  CHECK(w.count("select count(*) from openings") == 150);
  CHECK(w.verified());
}

TEST_CASE("what was in doubt when the store went back in time stays unknown") {
  world w;
  const auto id = w.create(job(5));
  backs_up(w);
  w.ask(id, by(1));
  w.ask(id, by(2));
  w.store.fails(commit_status::unknown);
  const auto p = w.send(id, by(3));
  w.settle();
  restores(w);
  w.pass(1s);
  CHECK(p->refused(code::outcome_unknown));
  CHECK(w.read(id, opening::show{})->get<opening::job>().version == 1);
  CHECK(w.verified());
}

// Clocks

TEST_CASE("a store's clock that jumps fires nothing early and leaves nothing stuck") {
  world w;
  const auto jump = GENERATE(1h, -1h);
  const auto id = w.create(job(1, 60));
  w.ask(id, by(1));
  w.ask(id, by(2));
  w.ask(id, by(3));
  w.ask(id, leaves(id, 1));
  const auto sampled = [&](milliseconds t) {
    for (; t > 0s; t -= 10s) {
      w.pass(std::min<milliseconds>(t, 10s));
      w.node->time.sample(w.now() + jump);
    }
  };
  sampled(59s);
  CHECK(w.count(count_of("DECAY_TRIGGERED")) == 0);
  sampled(2s);
  CHECK(w.count(count_of("DECAY_TRIGGERED")) == 1);
  sampled(120s);
  CHECK(w.count(count_of("DECAY_TRIGGERED")) >= 2);
  CHECK(w.verified());  // times of an entity never go back
}
