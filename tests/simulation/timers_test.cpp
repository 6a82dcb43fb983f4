#include "world.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace callboard;
using namespace callboard::sample;
using namespace callboard::simulation;

namespace {

/// A counter with something in it whose deadline comes after so long.
std::string expiring(world& w, seconds after) {
  const auto id = w.create();
  w.ask(id, add{5});
  w.ask(id, set_deadline{milliseconds{after}.count()});
  return id;
}

void send_tick(world& w, const std::string& id) {
  caf::anon_send(w.node->supervisor, actors::tick_atom::value, the_counter(id));
}

std::int64_t expiries(world& w) { return w.count(count_of("EXPIRED")); }
std::int64_t due(world& w, const std::string& id) { return w.count("select due from timers where key = '" + id + "'"); }

/// Timers of counters that do not exist, one per millisecond.
void add_stray_timers(world& w, int count, milliseconds from, int first_key = 1'000'000) {
  const auto first = to_ms(w.now() + from);
  for (int i = 0; i < count; ++i) {
    const std::vector<persistence::sql_param> row{std::to_string(first_key + i), first + i};
    w.faults->behind().write("insert into timers (kind, key, shard, due) values ('sample', $1, 0, $2)", row,
                             [](const persistence::result_row&) {});
  }
}

std::int64_t ghosts(world& w) { return w.count("select count(*) from timers where length(key) = 7"); }

}  // namespace

TEST_CASE("stale and doubled ticks decide nothing") {
  world w;
  const auto id = expiring(w, 60s);
  const auto lines = w.count("select count(*) from journal");
  for (int i = 0; i < 5; ++i)
    send_tick(w, id);
  w.settle();
  CHECK(w.count("select count(*) from journal") == lines);
  w.pass(60s);
  CHECK(expiries(w) == 1);
  for (int i = 0; i < 5; ++i)
    send_tick(w, id);
  w.settle();
  CHECK(expiries(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("an early tick does not lose the true deadline") {
  world w;
  const auto id = expiring(w, 60s);
  w.pass(30s);
  send_tick(w, id);
  w.pass(29'990ms);
  CHECK(expiries(w) == 0);
  w.pass(20ms);
  CHECK(expiries(w) == 1);
}

TEST_CASE("a command is in time when it is decided before the deadline") {
  world w;
  const auto id = expiring(w, 60s);
  SECTION("a millisecond before") {
    w.pass(59'999ms);
    CHECK(w.ask(id, clear_deadline{})->accepted());
    w.pass(10s);
    CHECK(expiries(w) == 0);
  }
  SECTION("at it") {
    w.node->scheduler.clock().current_time += 60s;  // its tick has not come yet
    const auto p = w.ask(id, clear_deadline{});
    CHECK(p->refused(code::gone));
    CHECK(expiries(w) == 1);
  }
  CHECK(w.verified());
}

TEST_CASE("what is due is decided before any question, whether its tick has come or not") {
  world w;
  const auto id = expiring(w, 60s);
  w.node->scheduler.clock().current_time += 60s;  // nothing rings yet
  const auto p = w.send_read(id);
  w.settle();
  REQUIRE(p->accepted());
  CHECK(sum_in(p) == 0);
  CHECK_FALSE(counter_in(p).deadline);
}

TEST_CASE("an earlier deadline moves the stored time, so that a crash does not make it late") {
  world w;
  const auto id = w.create();
  w.ask(id, set_deadline{3'600'000});
  w.ask(id, set_deadline{90'000});
  CHECK(due(w, id) == to_ms(w.now()) + 90'000);
  w.crash();
  w.pass(89s);
  CHECK(expiries(w) == 0);
  w.pass(2s);
  CHECK(expiries(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("a stored time may be early; whoever is woken for nothing mends it") {
  world w;
  const auto id = expiring(w, 60s);
  const auto stored = due(w, id);
  const auto commits = w.store.commits();
  w.ask(id, clear_deadline{});
  CHECK(due(w, id) == stored);  // nothing is due any more, and the row was not worth a write
  CHECK(w.store.commits() == commits + 1);
  w.pass(61s);
  CHECK(w.count("select count(*) from timers") == 0);
  CHECK(expiries(w) == 0);
  CHECK(w.verified());
}

TEST_CASE("a mended time is the next deadline") {
  world w;
  const auto id = w.create();
  w.ask(id, set_deadline{60'000});
  const auto stored = due(w, id);
  w.pass(10s);
  w.ask(id, set_deadline{60'000});
  const auto second = to_ms(w.now()) + 60'000;
  CHECK(due(w, id) == stored);  // a later deadline is not worth a write
  w.pass(51s);
  CHECK(due(w, id) == second);
  CHECK(expiries(w) == 0);
  w.pass(10s);
  CHECK(expiries(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("a deadline of an actor that left wakes it") {
  world w;
  const auto id = expiring(w, 3'600s);
  w.pass(3'000s);
  CHECK(w.node->occupied.residents == 0);
  CHECK(w.node->timer_counts.waiting == 0);  // far away: only the store knows
  w.pass(590s);
  CHECK(expiries(w) == 0);
  w.pass(10s);
  CHECK(expiries(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("deadlines of many entities are kept to the millisecond") {
  world w;
  std::map<std::string, std::int64_t> due_at;
  for (int i = 0; i < 30; ++i) {
    const auto id = expiring(w, seconds{40 + i * 7});
    due_at[id] = to_ms(w.now()) + 1'000 * (40 + i * 7);
    w.pass(1'037ms);
  }
  w.pass(400s);
  CHECK(expiries(w) == 30);
  for (const auto& [id, at] : due_at)
    CHECK(w.count("select at from journal where type = 'EXPIRED' and key = '" + id + "'") == at);
  CHECK(w.verified());
}

TEST_CASE("timeouts that were set for nothing do not pile up") {
  world w;
  std::vector<std::string> ids;
  // Each deadline is earlier than all before it, so each moves the next wake-up.
  for (int i = 0; i < 40; ++i)
    ids.push_back(expiring(w, seconds{59 - i}));
  w.pass(3s);
  const auto pending = w.node->scheduler.clock().schedule().size();
  w.pass(25s);
  CHECK(w.node->scheduler.clock().schedule().size() <= pending);
  w.pass(120s);
  // A refill, a sweep, one wake-up, and what is left of the writer's and the actors' own.
  CHECK(w.node->scheduler.clock().schedule().size() < 10);
}

TEST_CASE("a timer that belongs to nobody is woken once and gone") {
  world w;
  add_stray_timers(w, 1, 10s);
  w.pass(45s);
  CHECK(w.count("select count(*) from timers") == 0);
  CHECK(w.node->occupied.residents == 0);
}

TEST_CASE("a flood of deadlines is let through in portions") {
  world w;
  add_stray_timers(w, 3'000, -10s);
  w.crash();
  const auto at_once = w.count("select count(*) from timers");
  CHECK(at_once == 2'500);
  CHECK(w.node->timer_counts.overdue == 2'500);
  const auto id = w.create();  // requests get through meanwhile
  CHECK(w.ask(id, add{1})->accepted());
  w.pass(90ms);
  CHECK(w.count("select count(*) from timers") == 2'500);
  w.pass(20ms);
  CHECK(w.count("select count(*) from timers") == 2'000);
  w.pass(500ms);
  CHECK(w.count("select count(*) from timers") == 0);
  CHECK(w.node->timer_counts.overdue == 0);
}

TEST_CASE("a deadline that comes during a flood does not open the gate") {
  world w;
  add_stray_timers(w, 3'000, -10s);
  w.crash();
  expiring(w, 1s);
  w.settle();
  CHECK(ghosts(w) == 2'500);
}

TEST_CASE("more deadlines than fit into one page are read on as soon as these have fired") {
  world w;
  add_stray_timers(w, 10'000, -20s);
  add_stray_timers(w, 200, 1s, 2'000'000);
  w.crash();
  expiring(w, 55s);  // one in memory that is due much later
  w.pass(4s);        // 10,200 at 5,000 a second
  CHECK(ghosts(w) == 0);
}

TEST_CASE("a page that cannot be read is asked for again soon") {
  world w;
  const auto id = expiring(w, 60s);
  w.node->scheduler.clock().cancel_all();
  w.node->scheduler.clock().advance_time(3min);
  w.store.fails_reads(1);  // the first refill of the next process
  w.crash();
  w.pass(2s);
  CHECK(expiries(w) == 1);
}

TEST_CASE("a tick whose decision was cut is repeated") {
  world w;
  const auto id = expiring(w, 60s);
  w.pass(59s);
  w.store.next([&](const persistence::batch&, persistence::store&) {
    return persistence::commit_outcome{.how = commit_status::head_moved, .heads = {the_counter(id)}};
  });
  w.pass(1s + 1ms);
  CHECK(expiries(w) == 0);
  w.pass(1s);
  CHECK(expiries(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("an expiry decided before a crash is decided once") {
  world w;
  const auto id = expiring(w, 60s);
  const bool committed = GENERATE(true, false);
  w.pass(59'990ms);
  w.node->scheduler.clock().advance_time(20ms);
  if (committed)
    w.store.loses_reply();
  else
    w.store.fails(commit_status::unknown);
  w.settle();
  CHECK(expiries(w) == (committed ? 1 : 0));
  w.crash();
  w.pass(1s);
  CHECK(expiries(w) == 1);
  CHECK(w.verified());
}
