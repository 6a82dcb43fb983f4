#include "world.hpp"

#include <catch2/catch.hpp>

#include <vector>

// Effects: what one counter asks of another is repeated until it has heard, and counts once.

namespace callboard::simulation {
namespace {

using sample::ask_other;
using sample::receive;

/// Two counters, the asking one first.
struct pair_of_counters {
  explicit pair_of_counters(world& w, std::int64_t limit = 1'000) : asker{w.create()}, target{w.create(limit)} {}
  std::string asker;
  std::string target;
};

std::int64_t unanswered(world& w, const std::string& counter) { return counter_in(w.read(counter)).unanswered; }

std::int64_t events(world& w, std::string_view type) { return w.count(count_of(type)); }

}  // namespace

TEST_CASE("an effect is asked after the commit, and its answer is heard") {
  world w;
  const pair_of_counters two{w};
  const auto p = w.send(two.asker, ask_other{two.target, 5});
  int asked = 0;
  w.on_send = [&](actors::request&) { ++asked; };
  w.settle_without_writer();
  CHECK(asked == 0);
  w.settle();
  CHECK(p->accepted());
  CHECK(asked == 1);
  CHECK(w.stored_sum(two.target) == 5);
  CHECK(unanswered(w, two.asker) == 0);
  CHECK(w.text("select actor_type from journal where type = 'ANSWERED'") == "system");
  CHECK(w.text("select actor_type from journal where type = 'RECEIVED'") == "system");
  CHECK(w.verified());
}

TEST_CASE("a refusal of the domain is an answer too") {
  world w;
  const pair_of_counters two{w, 3};
  w.ask(two.asker, ask_other{two.target, 5});
  CHECK(w.stored_sum(two.target) == 0);
  CHECK(unanswered(w, two.asker) == 0);
  CHECK(events(w, "ANSWERED") == 1);
  CHECK(w.verified());
}

TEST_CASE("an effect is asked again until it is heard, ever more seldom, and counts once") {
  world w;
  const pair_of_counters two{w};
  int asked = 0;
  bool is_reachable = false;
  w.on_send = [&](actors::request& r) {
    ++asked;
    if (!is_reachable)
      r.time_limit = -1ms;  // its time is over when it arrives
  };
  w.ask(two.asker, ask_other{two.target, 5});
  CHECK(asked == 1);
  w.pass(10s);
  const auto in_ten_seconds = asked;
  CHECK(in_ten_seconds >= 3);
  CHECK(in_ten_seconds <= 10);
  w.pass(300s);
  CHECK(asked - in_ten_seconds <= 15);
  CHECK(unanswered(w, two.asker) == 1);
  is_reachable = true;
  w.pass(61s);
  CHECK(unanswered(w, two.asker) == 0);
  CHECK(w.stored_sum(two.target) == 5);
  CHECK(events(w, "RECEIVED") == 1);
  const auto when_heard = asked;
  w.pass(300s);
  CHECK(asked == when_heard);
  CHECK(w.verified());
}

TEST_CASE("an answer that was lost is given again for the same id") {
  world w;
  const pair_of_counters two{w};
  w.ask(two.asker, ask_other{two.target, 5});
  const auto again = w.ask(two.target, receive{two.asker, two.asker + "/1", 5});
  CHECK(again->accepted());
  CHECK(w.stored_sum(two.target) == 5);
  CHECK(events(w, "RECEIVED") == 1);
}

TEST_CASE("effects survive a crash at every step, and count once") {
  for (int steps = 0; steps < 60; ++steps) {
    world w;
    const pair_of_counters two{w};
    w.send(two.asker, ask_other{two.target, 5});
    w.run(steps);
    const auto acknowledged = w.count(count_of("ASKED"));
    w.crash();
    w.pass(61s);  // the timer wakes the asker
    INFO("crash after " << steps << " steps");
    CHECK(w.stored_sum(two.target) == 5 * acknowledged);
    CHECK(unanswered(w, two.asker) == 0);
    CHECK(events(w, "RECEIVED") == acknowledged);
    CHECK(w.verified());
  }
}

TEST_CASE("an unanswered effect keeps its entity awake without writing events, and nothing spins") {
  world w;
  w.supervision.idle = 1s;
  const pair_of_counters two{w};
  w.on_send = [](actors::request& r) { r.time_limit = -1ms; };
  w.ask(two.asker, ask_other{two.target, 5});
  const auto journal = w.count("select count(*) from journal");
  const auto batches = w.count("select batch from writers");
  w.pass(600s);
  CHECK(w.count("select count(*) from journal") == journal);
  // The timers row is moved once a minute.
  CHECK(w.count("select batch from writers") - batches <= 12);
  CHECK(w.count("select count(*) from timers where kind = 'sample'") == 1);
  CHECK(w.verified());
}

TEST_CASE("at most 64 effects are unanswered at once, the others follow") {
  world w;
  const pair_of_counters two{w};
  std::vector<sample_probe> asks;
  for (int i = 0; i < 200; ++i)
    asks.push_back(w.send(two.asker, ask_other{two.target, 1}));
  w.settle();
  w.pass(120s);
  CHECK(w.stored_sum(two.target) == 200);
  CHECK(unanswered(w, two.asker) == 0);
  CHECK(events(w, "RECEIVED") == 200);
  CHECK(w.verified());
}

TEST_CASE("work of the pool is done outside the actor and heard once") {
  world w;
  const auto id = w.create();
  w.ask(id, ask_other{"", 21});
  CHECK(unanswered(w, id) == 0);
  CHECK(events(w, "ANSWERED") == 1);
  w.pass(120s);
  CHECK(events(w, "ANSWERED") == 1);
  CHECK(w.verified());
}

TEST_CASE("work of the pool that a crash interrupted is started again by the state") {
  for (int steps = 0; steps < 40; ++steps) {
    world w;
    const auto id = w.create();
    w.send(id, ask_other{"", 21});
    w.run(steps);
    const auto acknowledged = w.count(count_of("ASKED"));
    w.crash();
    w.pass(61s);
    INFO("crash after " << steps << " steps");
    CHECK(events(w, "ANSWERED") == acknowledged);
    CHECK(unanswered(w, id) == 0);
    CHECK(w.verified());
  }
}

}  // namespace callboard::simulation
