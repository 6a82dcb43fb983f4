#include "openings.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::simulation;

namespace {

/// An opening with so many waiting behind one who has the only slot.
std::string crowded(world& w, std::int64_t waiting) {
  const auto id = w.create(job(1));
  for (std::int64_t i = 1; i <= waiting + 1; ++i) {
    w.send(id, by(i));
    if (i % 500 == 0)  // an entity takes so many requests at a time
      w.settle();
  }
  w.settle();
  return id;
}

std::int64_t promotions(world& w) { return w.count(count_of("PROMOTED")); }

}  // namespace

TEST_CASE("what was not committed when the process died has not happened") {
  world w;
  const auto id = w.create(job(1));
  const auto p = w.send(id, by(1));
  w.settle_without_writer();
  w.crash();
  CHECK(p->answers == 0);
  CHECK(w.read(id, opening::show{})->get<opening::job>().version == 1);
  CHECK(w.ask(id, by(2))->accepted());
  CHECK(w.verified());
}

TEST_CASE("what was committed when the process died before answering is there") {
  world w;
  const auto id = w.create(job(1));
  w.store.loses_reply();
  const auto p = w.send(id, by(1), "key");
  w.settle();
  w.crash();
  CHECK(p->answers == 0);
  CHECK(w.ask(id, by(1), "key")->replayed());
  CHECK(w.count("select count(*) from applications") == 1);
  CHECK(w.verified());
}

TEST_CASE("ids given before a crash are not given again") {
  world w;
  std::set<std::string> ids;
  for (int life = 0; life < 5; ++life) {
    for (int i = 0; i < 25; ++i)  // more than a block
      CHECK(ids.insert(w.create(job(1))).second);
    w.crash();
  }
  CHECK(w.count("select count(*) from openings") == 125);
}

TEST_CASE("an offer that was due while nobody was there decays at the start, before any command") {
  world w;
  const auto id = w.create(job(1, 60));
  w.ask(id, by(1));
  w.ask(id, by(2));
  w.ask(id, by(3));
  w.ask(id, leaves(id, 1));
  w.faults->unreachable = true;  // the process is not there
  w.pass(5min);
  w.faults->clears();
  w.write("update timers set due = due");  // the row as the last commit left it
  w.crash();
  const auto late = w.ask(id, opening::acknowledge{nth(id, 2)});
  CHECK(late->refused(code::gone));
  CHECK(w.count(count_of("DECAY_TRIGGERED")) == 1);
  CHECK(w.verified());
}

TEST_CASE("what is due decays at a start that nobody asks anything of") {
  world w;
  const auto id = w.create(job(1, 60));
  w.ask(id, by(1));
  w.ask(id, by(2));
  w.ask(id, by(3));
  w.ask(id, leaves(id, 1));
  const auto due = w.count("select due from timers");
  w.node->scheduler.clock().cancel_all();  // this process has stopped its timers
  w.node->scheduler.clock().advance_time(3min);
  w.crash();
  CHECK(w.count(count_of("DECAY_TRIGGERED")) == 1);
  // When it was decided, not when it was due.
  CHECK(w.count("select at from journal where type = 'DECAY_TRIGGERED'") > due);
  CHECK(w.verified());
}

TEST_CASE("a cascade of more than a thousand goes on by itself") {
  world w;
  const auto id = crowded(w, 2'500);
  CHECK(w.ask(id, with_capacity(3'000))->accepted());
  CHECK(promotions(w) == 2'500);
  const auto p = w.ask(id, by(9'000));
  CHECK(p->get<opening::application_result>().status == opening::status::active);
  CHECK(w.verified());
}

TEST_CASE("no newcomer comes before the rest of a cascade") {
  world w;
  const auto id = crowded(w, 2'500);
  const bool one_more = GENERATE(false, true);
  w.send(id, with_capacity(one_more ? 2'502 : 2'501));
  const auto new_applicant = w.send(id, by(9'000));
  w.settle();
  REQUIRE(new_applicant->accepted());
  // It meets the opening as the whole cascade leaves it: with one slot free and nobody waiting, or full.
  CHECK(new_applicant->get<opening::application_result>().status ==
        (one_more ? opening::status::active : opening::status::waitlist));
  CHECK(promotions(w) == 2'500);
  CHECK(w.verified());
}

TEST_CASE("a cascade interrupted by a crash goes on at the start") {
  world w;
  const auto id = crowded(w, 2'500);
  const auto raised = w.send(id, with_capacity(2'501));
  while (w.node->scheduler.try_run_once()) {
  }
  w.node->writer.step();  // the first thousand
  CHECK(promotions(w) < 2'500);
  CHECK(promotions(w) > 0);
  CHECK(w.verified());
  w.crash();
  CHECK(promotions(w) == 2'500);
  const auto new_applicant = w.ask(id, by(9'000));
  CHECK(new_applicant->get<opening::application_result>().status == opening::status::waitlist);
  CHECK(w.verified());
}

TEST_CASE("a cascade whose continuation is cut goes on") {
  world w;
  const auto id = crowded(w, 2'500);
  w.send(id, with_capacity(2'501));
  w.store.next([](const persistence::batch& b, persistence::store& inner) { return inner.commit(b); });
  w.store.next([&](const persistence::batch&, persistence::store&) {
    return persistence::commit_outcome{.how = commit_status::head_moved, .heads = {the(id)}};
  });
  w.settle();
  w.pass(2s);
  CHECK(promotions(w) == 2'500);
  CHECK(w.verified());
}
