#include "openings.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::simulation;

namespace {

/// An opening whose second applicant has an offer for so long, with a third one waiting.
std::string offering(world& w, std::int64_t window_s) {
  const auto id = w.create(job(1, window_s));
  w.ask(id, by(1));
  w.ask(id, by(2));
  w.ask(id, by(3));
  w.ask(id, leaves(id, 1));
  return id;
}

void ticks(world& w, const std::string& id) { caf::anon_send(w.node->supervisor, actors::tick_atom::value, the(id)); }

std::int64_t decays(world& w) { return w.count(count_of("DECAY_TRIGGERED")); }
std::int64_t due(world& w, const std::string& id) { return w.count("select due from timers where key = '" + id + "'"); }

/// Timers of openings that do not exist, one per millisecond.
void haunt(world& w, int count, milliseconds from, int first_key = 1'000'000) {
  const auto first = to_ms(w.now() + from);
  for (int i = 0; i < count; ++i) {
    const std::vector<persistence::sql_param> row{std::to_string(first_key + i), first + i};
    w.faults->behind().write("insert into timers (kind, key, shard, due) values ('opening', $1, 0, $2)", row,
                             [](const persistence::result_row&) {});
  }
}

std::int64_t ghosts(world& w) { return w.count("select count(*) from timers where length(key) = 7"); }

}  // namespace

TEST_CASE("stale and doubled ticks decide nothing") {
  world w;
  const auto id = offering(w, 60);
  const auto lines = w.count("select count(*) from journal");
  for (int i = 0; i < 5; ++i)
    ticks(w, id);
  w.settle();
  CHECK(w.count("select count(*) from journal") == lines);
  w.pass(60s);
  CHECK(decays(w) == 1);
  for (int i = 0; i < 5; ++i)
    ticks(w, id);
  w.settle();
  CHECK(decays(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("an early tick does not lose the true deadline") {
  world w;
  const auto id = offering(w, 60);
  w.pass(30s);
  ticks(w, id);
  w.pass(29'990ms);
  CHECK(decays(w) == 0);
  w.pass(20ms);
  CHECK(decays(w) == 1);
}

TEST_CASE("an acknowledgment is in time when it is decided before the deadline") {
  world w;
  const auto id = offering(w, 60);
  SECTION("a millisecond before") {
    w.pass(59'999ms);
    CHECK(w.ask(id, opening::acknowledge{nth(id, 2)})->accepted());
    w.pass(10s);
    CHECK(decays(w) == 0);
  }
  SECTION("at it") {
    w.node->scheduler.clock().current_time += 60s;  // its tick has not come yet
    const auto p = w.ask(id, opening::acknowledge{nth(id, 2)});
    CHECK(p->refused(code::gone));
    CHECK(decays(w) == 1);
  }
  CHECK(w.verified());
}

TEST_CASE("what is due is decided before any question, whether its tick has come or not") {
  world w;
  const auto id = offering(w, 60);
  w.node->scheduler.clock().current_time += 60s;  // nothing rings yet
  const auto p = w.send_read(id, opening::show_summary{});
  w.settle();
  REQUIRE(p->accepted());
  CHECK(p->get<opening::summary>().decay_events == 1);
}

TEST_CASE("an earlier deadline moves the stored time, so that a crash does not make it late") {
  world w;
  const auto id = w.create(job(2, 3'600));
  for (int i = 1; i <= 4; ++i)
    w.ask(id, by(i));
  w.ask(id, leaves(id, 1));  // an offer for an hour
  auto shorter = opening::update{};
  shorter.ack_window_s = 90;
  w.ask(id, shorter);
  w.ask(id, leaves(id, 2));  // an offer for a minute and a half
  CHECK(due(w, id) == to_ms(w.now()) + 90'000);
  w.crash();
  w.pass(89s);
  CHECK(decays(w) == 0);
  w.pass(2s);
  CHECK(decays(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("a stored time may be early; whoever is woken for nothing mends it") {
  world w;
  const auto id = offering(w, 60);
  const auto stored = due(w, id);
  const auto commits = w.store.commits();
  w.ask(id, opening::acknowledge{nth(id, 2)});
  CHECK(due(w, id) == stored);  // nothing is due any more, and the row was not worth a write
  CHECK(w.store.commits() == commits + 1);
  w.pass(61s);
  CHECK(w.count("select count(*) from timers") == 0);
  CHECK(decays(w) == 0);
  CHECK(w.verified());
}

TEST_CASE("a mended time is the next deadline") {
  world w;
  const auto id = w.create(job(2, 60));
  for (int i = 1; i <= 4; ++i)
    w.ask(id, by(i));
  w.ask(id, leaves(id, 1));
  w.pass(10s);
  w.ask(id, leaves(id, 2));
  const auto second = to_ms(w.now()) + 60'000;
  w.ask(id, opening::acknowledge{nth(id, 3)});
  w.pass(51s);
  CHECK(due(w, id) == second);
  CHECK(decays(w) == 0);
  w.pass(10s);
  CHECK(decays(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("a deadline of an actor that left wakes it") {
  world w;
  const auto id = offering(w, 3'600);
  w.pass(3'000s);
  CHECK(w.node->occupied.residents == 0);
  CHECK(w.node->timer_counts.waiting == 0);  // far away: only the store knows
  w.pass(590s);
  CHECK(decays(w) == 0);
  w.pass(10s);
  CHECK(decays(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("deadlines of many openings are kept to the millisecond") {
  world w;
  std::vector<std::string> ids;
  for (int i = 0; i < 30; ++i) {
    ids.push_back(offering(w, 40 + i * 7));
    w.pass(1'037ms);
  }
  w.pass(400s);
  CHECK(w.count("select count(distinct key) from journal where type = 'DECAY_TRIGGERED'") == 30);
  // Each first decay is decided in the millisecond in which the first promotion's window ended.
  CHECK(w.count("select count(*) from (select min(case when type = 'PROMOTED' then at end) as p, "
                "min(case when type = 'DECAY_TRIGGERED' then at end) as d, key from journal group by key) x "
                "join openings o on o.id = x.key where d - p <> o.ack_window_s * 1000") == 0);
  CHECK(w.verified());
}

TEST_CASE("alarms that were set for nothing do not pile up") {
  world w;
  std::vector<std::string> ids;
  // Each deadline is earlier than all before it, so each moves the alarm.
  for (int i = 0; i < 40; ++i)
    ids.push_back(offering(w, 59 - i));
  w.pass(3s);
  const auto pending = w.node->scheduler.clock().schedule().size();
  w.pass(25s);
  CHECK(w.node->scheduler.clock().schedule().size() <= pending);
  w.pass(120s);
  // A refill, a sweep, one alarm, and what is left of the writer's and the actors' own.
  CHECK(w.node->scheduler.clock().schedule().size() < 10);
}

TEST_CASE("a timer that belongs to nobody is woken once and gone") {
  world w;
  haunt(w, 1, 10s);
  w.pass(45s);
  CHECK(w.count("select count(*) from timers") == 0);
  CHECK(w.node->occupied.residents == 0);
}

TEST_CASE("a flood of deadlines is let through in portions") {
  world w;
  haunt(w, 3'000, -10s);
  w.crash();
  const auto at_once = w.count("select count(*) from timers");
  CHECK(at_once == 2'500);
  CHECK(w.node->timer_counts.overdue == 2'500);
  const auto id = w.create(job(1));  // requests get through meanwhile
  CHECK(w.ask(id, by(1))->accepted());
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
  haunt(w, 3'000, -10s);
  w.crash();
  offering(w, 1);
  w.settle();
  CHECK(ghosts(w) == 2'500);
}

TEST_CASE("more deadlines than fit into one page are read on as soon as these have fired") {
  world w;
  haunt(w, 10'000, -20s);
  haunt(w, 200, 1s, 2'000'000);
  w.crash();
  offering(w, 55);  // one in memory that is due much later
  w.pass(4s);       // 10,200 at 5,000 a second
  CHECK(ghosts(w) == 0);
}

TEST_CASE("a page that can not be read is asked for again soon") {
  world w;
  const auto id = offering(w, 60);
  w.node->scheduler.clock().cancel_all();
  w.node->scheduler.clock().advance_time(3min);
  w.store.fails_reads(1);  // the first refill of the next process
  w.crash();
  w.pass(2s);
  CHECK(decays(w) == 1);
}

TEST_CASE("a tick whose decision was cut is repeated") {
  world w;
  const auto id = offering(w, 60);
  w.pass(59s);
  w.store.next([&](const persistence::batch&, persistence::store&) {
    return persistence::commit_outcome{.how = commit_status::head_moved, .heads = {the(id)}};
  });
  w.pass(1s + 1ms);
  CHECK(decays(w) == 0);
  w.pass(1s);
  CHECK(decays(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("a decay decided before a crash is decided once") {
  world w;
  const auto id = offering(w, 60);
  const bool committed = GENERATE(true, false);
  w.pass(59'990ms);
  w.node->scheduler.clock().advance_time(20ms);
  if (committed)
    w.store.loses_reply();
  else
    w.store.fails(commit_status::unknown);
  w.settle();
  CHECK(decays(w) == (committed ? 1 : 0));
  w.crash();
  w.pass(1s);
  CHECK(decays(w) == 1);
  CHECK(w.verified());
}
