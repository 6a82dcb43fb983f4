#include "world.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::sample;
using namespace callboard::simulation;

TEST_CASE("what was not committed when the process died has not happened") {
  world w;
  const auto id = w.create();
  const auto p = w.send(id, add{1});
  w.settle_without_writer();
  w.crash();
  CHECK(p->answers == 0);
  CHECK(w.read(id)->version == 1);
  CHECK(w.ask(id, add{1})->accepted());
  CHECK(w.verified());
}

TEST_CASE("what was committed when the process died before answering is there") {
  world w;
  const auto id = w.create();
  w.store.loses_reply();
  const auto p = w.send(id, add{1}, "key");
  w.settle();
  w.crash();
  CHECK(p->answers == 0);
  CHECK(w.ask(id, add{1}, "key")->replayed());
  CHECK(w.stored_sum(id) == 1);
  CHECK(w.verified());
}

TEST_CASE("ids given before a crash are not given again") {
  world w;
  std::set<std::string> ids;
  for (int life = 0; life < 5; ++life) {
    for (int i = 0; i < 25; ++i)  // more than a block
      CHECK(ids.insert(w.create()).second);
    w.crash();
  }
  CHECK(w.count("select count(*) from sample_counters") == 125);
}

TEST_CASE("a deadline that came while nobody was there is decided at the start, before any command") {
  world w;
  const auto id = w.create();
  w.ask(id, set_deadline{60'000});
  w.faults->unreachable = true;  // the process is not there
  w.pass(5min);
  w.faults->clears();
  w.write("update timers set due = due");  // the row as the last commit left it
  w.crash();
  const auto late = w.ask(id, clear_deadline{});
  CHECK(late->refused(code::gone));
  CHECK(w.count(count_of("EXPIRED")) == 1);
  CHECK(w.verified());
}

TEST_CASE("what is due is decided at a start that nobody asks anything of") {
  world w;
  const auto id = w.create();
  w.ask(id, set_deadline{60'000});
  const auto due = w.count("select due from timers");
  w.node->scheduler.clock().cancel_all();  // this process has stopped its timers
  w.node->scheduler.clock().advance_time(3min);
  w.crash();
  CHECK(w.count(count_of("EXPIRED")) == 1);
  // When it was decided, not when it was due.
  CHECK(w.count("select at from journal where type = 'EXPIRED'") > due);
  CHECK(w.verified());
}
