#include "world.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::sample;
using namespace callboard::simulation;

TEST_CASE("nothing that saw uncommitted state leaves before the commit") {
  world w;
  const auto id = w.create(1);
  const auto commits = w.store.commits();
  const auto wrote = w.send(id, add{1});
  const auto saw = w.send_read(id);
  const auto refused = w.send(id, add{1});
  w.settle_without_writer();
  CHECK(wrote->answers == 0);
  CHECK(saw->answers == 0);
  CHECK(refused->answers == 0);
  w.settle();
  CHECK(wrote->accepted());
  CHECK(sum_in(saw) == 1);
  CHECK(refused->refused(code::conflict));
  CHECK(w.store.commits() == commits + 1);
}

TEST_CASE("what saw only committed state is answered without the writer") {
  world w;
  const auto id = w.create(1);
  w.ask(id, add{1});
  const auto commits = w.store.commits();
  const auto saw = w.send_read(id);
  const auto refused = w.send(id, add{1});
  w.settle_without_writer();
  CHECK(saw->accepted());
  CHECK(refused->refused(code::conflict));
  w.settle();
  CHECK(w.store.commits() == commits);
}

TEST_CASE("an answer behind a committed append needs no transaction") {
  world w;
  const auto id = w.create();
  const auto commits = w.store.commits();
  w.store.fails(commit_status::transient);
  const auto wrote = w.send(id, add{1});
  w.settle();  // in flight, and waiting for its second try
  const auto saw = w.send_read(id);
  w.settle();
  CHECK(saw->answers == 0);
  w.pass(1s);
  CHECK(wrote->accepted());
  CHECK(saw->accepted());
  CHECK(w.store.commits() == commits + 2);
}

TEST_CASE("decisions run ahead of the disk and share a commit") {
  world w;
  const auto id = w.create();
  const auto commits = w.store.commits();
  std::vector<sample_probe> all;
  for (int i = 1; i <= 50; ++i)
    all.push_back(w.send(id, add{1}));
  w.settle();
  for (const auto& p : all)
    CHECK(p->accepted());
  CHECK(w.store.commits() == commits + 1);
  CHECK(w.verified());
}

TEST_CASE("a deadline is armed by its commit and not before") {
  world w;
  const auto id = w.create();
  w.send(id, set_deadline{60'000});
  w.settle_without_writer();
  CHECK(w.node->timer_counts.waiting == 0);
  w.settle();
  CHECK(w.node->timer_counts.waiting == 1);
}

TEST_CASE("a deadline that was never committed never comes") {
  world w;
  const auto id = w.create();
  w.faults->stays(commit_status::transient);
  const auto p = w.send(id, set_deadline{1'000});
  w.pass(6s);
  CHECK(p->refused(code::not_applied));
  CHECK(w.node->timer_counts.waiting == 0);
  w.faults->clears();
  w.pass(60s);
  CHECK(w.count(count_of("EXPIRED")) == 0);
  CHECK(w.count("select count(*) from timers") == 0);
  CHECK(w.verified());
}

TEST_CASE("a caller who was answered sees its own commit at once") {
  world w;
  const auto id = w.create();
  w.ask(id, add{1});
  const auto saw = w.send_read(id);
  w.settle_without_writer();
  REQUIRE(saw->accepted());
  CHECK(saw->version == 2);
}
