#include "openings.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::simulation;

TEST_CASE("nothing that saw uncommitted state leaves before the commit") {
  world w;
  const auto id = w.create(job(1));
  const auto commits = w.store.commits();
  const auto wrote = w.send(id, by(1));
  const auto saw = w.send_read(id, opening::show{});
  const auto refused = w.send(id, by(1));
  w.settle_without_writer();
  CHECK(wrote->answers == 0);
  CHECK(saw->answers == 0);
  CHECK(refused->answers == 0);
  w.settle();
  CHECK(wrote->accepted());
  CHECK(saw->get<opening::job>().active_count == 1);
  CHECK(refused->refused(code::duplicate_submission));
  CHECK(w.store.commits() == commits + 1);
}

TEST_CASE("what saw only committed state is answered without the writer") {
  world w;
  const auto id = w.create(job(1));
  w.ask(id, by(1));
  const auto commits = w.store.commits();
  const auto saw = w.send_read(id, opening::show{});
  const auto refused = w.send(id, by(1));
  w.settle_without_writer();
  CHECK(saw->accepted());
  CHECK(refused->refused(code::duplicate_submission));
  w.settle();
  CHECK(w.store.commits() == commits);
}

TEST_CASE("an answer behind a committed append needs no transaction") {
  world w;
  const auto id = w.create(job(1));
  const auto commits = w.store.commits();
  w.store.fails(commit_status::transient);
  const auto wrote = w.send(id, by(1));
  w.settle();  // in flight, and waiting for its second try
  const auto saw = w.send_read(id, opening::show{});
  w.settle();
  CHECK(saw->answers == 0);
  w.pass(1s);
  CHECK(wrote->accepted());
  CHECK(saw->accepted());
  CHECK(w.store.commits() == commits + 2);
}

TEST_CASE("decisions run ahead of the disk and share a commit") {
  world w;
  const auto id = w.create(job(10));
  const auto commits = w.store.commits();
  std::vector<std::shared_ptr<opening_probe>> all;
  for (int i = 1; i <= 50; ++i)
    all.push_back(w.send(id, by(i)));
  w.settle();
  for (const auto& p : all)
    CHECK(p->accepted());
  CHECK(w.store.commits() == commits + 1);
  CHECK(w.verified());
}

TEST_CASE("a deadline is armed by its commit and not before") {
  world w;
  const auto id = w.create(job(1, 60));
  w.ask(id, by(1));
  w.ask(id, by(2));
  w.send(id, leaves(id, 1));
  w.settle_without_writer();
  CHECK(w.node->timer_counts.waiting == 0);
  w.settle();
  CHECK(w.node->timer_counts.waiting == 1);
}

TEST_CASE("an offer that was never committed is never due") {
  world w;
  const auto id = w.create(job(1, 1));
  w.ask(id, by(1));
  w.ask(id, by(2));
  w.faults->stays(commit_status::transient);
  const auto p = w.send(id, leaves(id, 1));
  w.pass(6s);
  CHECK(p->refused(code::not_applied));
  CHECK(w.node->timer_counts.waiting == 0);
  w.faults->clears();
  w.pass(60s);
  CHECK(w.count(count_of("DECAY_TRIGGERED")) == 0);
  CHECK(w.count("select count(*) from timers") == 0);
  CHECK(w.verified());
}

TEST_CASE("a caller who was answered sees its own commit at once") {
  world w;
  const auto id = w.create(job(2));
  w.ask(id, by(1));
  const auto saw = w.send_read(id, opening::show{});
  w.settle_without_writer();
  REQUIRE(saw->accepted());
  CHECK(saw->get<opening::job>().version == 2);
}
