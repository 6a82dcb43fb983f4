#include "second_writer.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::sample;
using namespace callboard::simulation;

namespace {

using persistence::batch;
using persistence::commit_outcome;

/// The store refuses every batch that adds this much.
store_faults::influence refuses(std::int64_t n) {
  return [part = "{\"n\":" + std::to_string(n) + "}"](const batch& b, persistence::store&) {
    const bool offends = std::any_of(b.lines.begin(), b.lines.end(),
                                     [&](const auto& l) { return l.data->find(part) != std::string::npos; });
    return offends ? std::optional{store_faults::outcome(commit_status::poison)} : std::nullopt;
  };
}

/// Before the next commit somebody else decides this.
void interferes(world& w, const std::string& counter, command c) {
  w.store.next([&w, counter, c](const batch& b, persistence::store& inner) {
    second_writer{w.faults->behind(), w.now()}.decides<kind>(counter, c);
    return inner.commit(b);
  });
}

}  // namespace

// Certainly not committed, transient

TEST_CASE("a batch that fails for a while is sent again and answered once") {
  world w;
  const auto id = w.create();
  const int times = GENERATE(1, 2, 10);
  const auto commits = w.store.commits();
  w.store.fails(commit_status::transient, times);
  const auto p = w.send(id, add{1});
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
  const auto a = w.create();
  const auto b = w.create();
  w.faults->stays(commit_status::transient);
  const auto in_flight = w.send(a, add{1});
  w.settle();
  const auto behind = w.send(a, add{1});
  const auto other = w.send(b, add{1});
  const auto saw = w.send_read(a);
  const auto refused = w.send(a, add{2'000});
  w.pass(4'900ms);
  CHECK(in_flight->answers + behind->answers + other->answers + saw->answers + refused->answers == 0);
  w.pass(500ms);
  for (const auto& p : {in_flight, behind, other, saw, refused}) {
    CHECK(p->refused(code::not_applied));
    CHECK(p->answers == 1);
  }
  w.faults->clears();
  w.pass(2s);
  CHECK(sum_in(w.read(a)) == 0);
  const auto later = w.ask(a, add{1});
  REQUIRE(later->accepted());
  CHECK(sum_in(later) == 1);
  CHECK(w.ask(b, add{1})->accepted());
  CHECK(w.stored_sum(a) + w.stored_sum(b) == 2);
  CHECK(w.verified());
}

TEST_CASE("while the store goes on refusing a no comes at once") {
  world w;
  const auto id = w.create();
  w.faults->stays(commit_status::transient);
  w.send(id, add{1});
  w.pass(6s);
  const auto p = w.ask(id, add{1});
  CHECK(p->refused(code::not_applied));
  w.faults->clears();
  w.pass(2s);
  CHECK(w.ask(id, add{1})->accepted());
}

TEST_CASE("a store without space says so, goes on reading and needs no restart") {
  world w;
  const auto id = w.create();
  w.faults->stays(commit_status::full);
  const auto p = w.send(id, add{1});
  w.pass(6s);
  CHECK(p->refused(code::store_full));
  CHECK(w.read(id)->accepted());
  w.faults->clears();
  w.pass(2s);
  CHECK(w.ask(id, add{1})->accepted());
  CHECK(w.verified());
}

// Head moved

TEST_CASE("a command whose entity was moved by somebody else is decided again on the new rows") {
  world w;
  const auto a = w.create();
  const auto b = w.create();
  interferes(w, a, add{1});
  const auto moved = w.send(a, add{1});
  const auto saw = w.send_read(a);
  const auto unmoved = w.send(b, add{1});
  w.settle();
  REQUIRE(moved->accepted());
  CHECK(moved->answers == 1);
  CHECK(sum_in(moved) == 2);  // behind what somebody else decided
  CHECK(saw->version == 3);
  REQUIRE(unmoved->accepted());
  CHECK(sum_in(unmoved) == 1);
  CHECK(w.node->writer.counted().fenced == 1);
  CHECK(w.has_warning("head moved"));
  CHECK(w.events_of(*moved) == 1);
  CHECK(w.events_of(*unmoved) == 1);
  CHECK(w.verified());
}

TEST_CASE("a head that stands elsewhere is enough, whatever the journal holds") {
  world w;
  const auto id = w.create();
  w.store.moves_head(the_counter(id));  // without an event that could collide with ours
  const auto p = w.send(id, add{1});
  w.settle();
  CHECK(p->accepted());
  CHECK(p->version == 3);
  CHECK(w.node->writer.counted().fenced == 1);
}

TEST_CASE("what was handed back is decided in the order it came, before what came later") {
  world w;
  const auto id = w.create();
  interferes(w, id, add{1});
  std::vector<sample_probe> all;
  for (int i = 1; i <= 20; ++i)
    all.push_back(w.send(id, add{1}));
  w.settle_without_writer();
  w.node->writer.step();  // cut; the commands are on their way back
  for (int i = 21; i <= 40; ++i)
    all.push_back(w.send(id, add{1}));
  w.settle();
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE(all[i]->accepted());
    CHECK(sum_in(all[i]) == static_cast<std::int64_t>(i) + 2);
  }
  CHECK(w.verified());
}

TEST_CASE("a command handed back past its deadline has changed nothing") {
  world w;
  const auto id = w.create();
  w.store.fails(commit_status::transient, 3);
  interferes(w, id, add{1});
  const auto p = w.send(id, add{1});
  p->time_limit = 1ms;
  p->renew(w.steady());
  w.pass(1s);
  CHECK(p->refused(code::not_applied));
  CHECK(w.events_of(*p) == 0);
  CHECK(w.verified());
}

TEST_CASE("a moved head found out by a resend resolves the doubt") {
  world w;
  const auto id = w.create();
  w.store.fails(commit_status::unknown);
  interferes(w, id, add{1});
  const auto p = w.send(id, add{1});
  w.pass(1s);
  REQUIRE(p->accepted());
  CHECK(sum_in(p) == 2);
  CHECK(w.verified());
}

TEST_CASE("an entity that somebody else created first refuses ours") {
  world w;
  const auto other = w.create();
  const auto p = w.send_create();
  const auto elsewhere = w.send(other, add{1});
  interferes(w, p->target.key, create{5});
  w.settle();
  CHECK(p->refused(code::conflict));
  CHECK(elsewhere->accepted());
  CHECK(counter_in(w.read(p->target.key)).limit == 5);
  CHECK(w.verified());
}

// Poison

TEST_CASE("of many appends only the one that the store refuses fails") {
  world w;
  std::vector<std::string> ids;
  for (int i = 0; i < 10; ++i)
    ids.push_back(w.create());
  w.faults->on_commit = refuses(13);
  std::vector<sample_probe> good;
  sample_probe bad;
  const auto commits = w.store.commits();
  for (int round = 1; round <= 4; ++round)
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (round == 2 && i == 3)
        bad = w.send(ids[i], add{13});
      good.push_back(w.send(ids[i], add{1}));
    }
  w.settle();
  CHECK(bad->refused(code::internal));
  CHECK(bad->answers == 1);
  CHECK(w.events_of(*bad) == 0);
  for (std::size_t i = 0; i < good.size(); ++i) {
    REQUIRE(good[i]->accepted());
    // Halving does not change an entity's order.
    CHECK(sum_in(good[i]) == static_cast<std::int64_t>(i / ids.size()) + 1);
  }
  CHECK(w.node->writer.counted().poisoned == 1);
  CHECK(w.has_warning("refuses what passed"));
  CHECK(w.store.commits() - commits < 20);  // about twice the logarithm, not one by one
  CHECK(w.verified());
}

TEST_CASE("two offenders in one batch are both found") {
  world w;
  std::vector<sample_probe> good;
  std::vector<sample_probe> bad;
  std::vector<std::string> ids;
  for (int i = 0; i < 16; ++i)
    ids.push_back(w.create());
  w.faults->on_commit = refuses(13);
  for (std::size_t i = 0; i < ids.size(); ++i)
    (i == 2 || i == 11 ? bad : good).push_back(w.send(ids[i], add{i == 2 || i == 11 ? 13 : 5}));
  w.settle();
  for (const auto& p : bad)
    CHECK(p->refused(code::internal));
  for (const auto& p : good)
    CHECK(p->accepted());
  w.faults->clears();
  CHECK(w.ask(ids[2], add{1})->accepted());
  CHECK(w.verified());
}

TEST_CASE("after poison batches are large again") {
  world w;
  const auto id = w.create();
  w.faults->on_commit = refuses(13);
  for (int i = 1; i <= 40; ++i)
    w.send(id, add{i});
  w.settle();
  w.faults->clears();
  const auto commits = w.store.commits();
  for (int i = 101; i <= 140; ++i)
    w.send(id, add{1});
  w.settle();
  CHECK(w.store.commits() == commits + 1);
}

TEST_CASE("poison found out by a resend fails only the offender") {
  world w;
  const auto a = w.create();
  const auto b = w.create();
  w.store.fails(commit_status::unknown);
  w.faults->on_commit = refuses(13);
  const auto bad = w.send(a, add{13});
  const auto good = w.send(b, add{1});
  w.pass(1s);
  CHECK(bad->refused(code::internal));
  CHECK(good->accepted());
  CHECK(w.verified());
}

// Store down

TEST_CASE("while the store is away residents are read and nothing else") {
  world w;
  const auto resident = w.create();
  const auto absent = w.create();
  w.pass(120s);
  w.ask(resident, add{1});
  w.faults->unreachable = true;
  const auto first = w.send(resident, add{1});
  w.pass(1s);
  CHECK(first->answers == 0);
  w.pass(5s);
  CHECK(first->refused(code::not_applied));
  // The dropped state could not be loaded again, so a read of it fails too; one that nobody changed goes on.
  CHECK(w.ask(resident, add{1})->refused(code::not_applied));
  CHECK(w.read(absent)->refused(code::not_applied));
  w.pass(60s);
  w.faults->clears();
  w.pass(3s);
  CHECK(w.ask(resident, add{1})->accepted());
  CHECK(w.read(absent)->accepted());
  CHECK(w.verified());
}

TEST_CASE("a resident with nothing pending is read however long the store is away") {
  world w;
  const auto quiet = w.create();
  const auto busy = w.create();
  w.faults->unreachable = true;
  w.send(busy, add{1});
  w.pass(10s);
  CHECK(w.read(quiet)->accepted());
  const auto p = w.send(quiet, add{1});
  w.settle();
  CHECK(p->refused(code::not_applied));
  CHECK(w.read(quiet)->accepted());
  w.faults->clears();
  w.pass(3s);
  CHECK(w.ask(quiet, add{1})->accepted());
}

TEST_CASE("a deadline that comes while the store is away is decided soon after it is back") {
  world w;
  const auto id = w.create();
  w.ask(id, set_deadline{20'000});
  w.faults->unreachable = true;
  const auto p = w.send(id, add{1});
  w.pass(90s);
  CHECK(p->refused(code::not_applied));
  w.faults->clears();
  w.pass(3s);
  CHECK(w.count(count_of("EXPIRED")) == 1);
  CHECK(w.verified());
}

// Store back in time

namespace {

constexpr const char* backed_up[] = {"writers", "heads",           "journal",      "timers",      "requests",
                                     "ids",     "sample_counters", "sample_names", "sample_asks", "sample_received"};

void backs_up(world& w) {
  for (const std::string t : backed_up)
    w.write("create table backup_" + t + " as select * from " + t);
}

void restores(world& w) {
  for (const std::string t : backed_up) {
    w.write("delete from " + t);
    w.write("insert into " + t + " select * from backup_" + t);
  }
}

}  // namespace

TEST_CASE("a store that went back in time is loaded anew, loudly") {
  world w;
  const auto a = w.create();
  const auto b = w.create();
  w.ask(a, add{1});
  backs_up(w);
  w.ask(a, add{1});
  w.ask(b, add{1});
  restores(w);
  const auto p = w.send(a, add{1});
  w.pass(1s);
  CHECK(p->answers == 1);
  CHECK_FALSE(p->accepted());
  CHECK(w.has_warning("not as we left it"));
  // Residents do not show what never happened, also those that nobody writes to.
  CHECK(w.read(b)->version == 1);
  CHECK(sum_in(w.read(a)) == 1);
  CHECK(w.ask(a, add{1})->accepted());
  CHECK(w.verified());
}

TEST_CASE("ids given out by a store that went back in time are not used twice") {
  world w;
  backs_up(w);
  const auto lost = w.create();
  for (int i = 0; i < 12; ++i)
    w.create();
  restores(w);
  w.send(lost, add{1});
  w.pass(2s);
  w.node->ids.next("samples", w.node->writer);  // asks for a block
  w.settle();
  for (int i = 0; i < 150; ++i) {
    const auto p = w.send_create();
    w.settle();
    REQUIRE(p->accepted());
  }
  CHECK(w.count("select count(*) from sample_counters") == 150);
  CHECK(w.verified());
}

TEST_CASE("what was in doubt when the store went back in time stays unknown") {
  world w;
  const auto id = w.create();
  backs_up(w);
  w.ask(id, add{1});
  w.ask(id, add{1});
  w.store.fails(commit_status::unknown);
  const auto p = w.send(id, add{1});
  w.settle();
  restores(w);
  w.pass(1s);
  CHECK(p->refused(code::outcome_unknown));
  CHECK(w.read(id)->version == 1);
  CHECK(w.verified());
}

// Clocks

TEST_CASE("a store's clock that jumps fires nothing early and leaves nothing stuck") {
  world w;
  const auto jump = GENERATE(1h, -1h);
  const auto id = w.create();
  w.ask(id, set_deadline{60'000});
  const auto sampled = [&](milliseconds t) {
    for (; t > 0s; t -= 10s) {
      w.pass(std::min<milliseconds>(t, 10s));
      w.node->time.sample(w.now() + jump);
    }
  };
  sampled(59s);
  CHECK(w.count(count_of("EXPIRED")) == 0);
  sampled(2s);
  CHECK(w.count(count_of("EXPIRED")) == 1);
  w.ask(id, set_deadline{60'000});
  sampled(120s);
  CHECK(w.count(count_of("EXPIRED")) == 2);
  CHECK(w.verified());  // times of an entity never go back
}
