#include "world.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::sample;
using namespace callboard::simulation;

namespace {

take waiting_for(std::int64_t n, milliseconds at_most = 5s) { return {n, at_most.count()}; }

}  // namespace

TEST_CASE("a command that waits is answered by the commit that it waited for, in the order of arrival") {
  world w;
  const auto id = w.create();
  const auto much = w.send(id, waiting_for(10));
  const auto first = w.send(id, waiting_for(2));
  const auto second = w.send(id, waiting_for(2));
  w.settle();
  CHECK(much->answers + first->answers + second->answers == 0);
  const auto commits = w.store.commits();
  w.ask(id, add{3});
  CHECK(w.store.commits() == commits + 1);
  CHECK(much->answers == 0);
  REQUIRE(first->accepted());
  CHECK(sum_in(first) == 1);
  CHECK(second->answers == 0);
  w.ask(id, add{11});
  REQUIRE(much->accepted());
  CHECK(sum_in(much) == 2);
  CHECK(second->accepted());
  CHECK(w.stored_sum(id) == 0);
  CHECK(w.verified());
}

TEST_CASE("a command that waited long enough is decided as things are") {
  world w;
  const auto id = w.create();
  const auto p = w.send(id, waiting_for(1));
  w.pass(4'999ms);
  CHECK(p->answers == 0);
  w.pass(2ms);
  CHECK(p->refused(code::conflict));
  CHECK(p->answers == 1);
  w.ask(id, add{1});
  CHECK(w.stored_sum(id) == 1);
}

TEST_CASE("a waiting command does not count as a request in flight") {
  world w;
  w.supervision.requests_max = 1;
  w.crash();
  const auto id = w.create();
  const auto one = w.send(id, waiting_for(1));
  w.settle();
  const auto two = w.send(id, waiting_for(1));
  w.settle();
  CHECK(w.ask(id, add{2})->accepted());
  CHECK(one->accepted());
  CHECK(two->accepted());
}

TEST_CASE("a waiting command whose caller has gone takes nothing") {
  world w;
  const auto id = w.create();
  const auto gone = w.send(id, waiting_for(1));
  const auto there = w.send(id, waiting_for(1));
  w.settle();
  gone->abandoned = true;
  w.ask(id, add{1});
  CHECK_FALSE(gone->accepted());
  CHECK(w.events_of(*gone) == 0);
  CHECK(there->accepted());
}

TEST_CASE("an actor with a waiting command stays, also when it is idle") {
  world w;
  const auto id = w.create();
  const auto p = w.send(id, waiting_for(1, 10min));
  w.pass(3min);
  CHECK(w.node->occupied.residents == 1);
  w.ask(id, add{1});
  CHECK(p->accepted());
}

TEST_CASE("a waiting command survives that its entity fails or is moved") {
  world w;
  const auto id = w.create();
  const auto p = w.send(id, waiting_for(1));
  w.settle();

  SECTION("fails") { CHECK(w.ask(id, fail{})->refused(code::internal)); }
  SECTION("moved") {
    w.store.next([&](const persistence::batch&, persistence::store&) {
      return persistence::commit_outcome{.how = commit_status::head_moved, .heads = {the_counter(id)}};
    });
  }
  w.send(id, add{1});
  w.pass(1s);
  REQUIRE(p->accepted());
  CHECK(sum_in(p) == 0);
  CHECK(w.verified());
}

TEST_CASE("a keyed command that waits takes once, and its retry is told to come again") {
  world w;
  const auto id = w.create();
  const auto first = w.send(id, waiting_for(1), "key");
  w.settle();
  const auto retry = w.ask(id, waiting_for(1), "key");
  CHECK(retry->refused(code::in_progress));
  w.ask(id, add{5});
  CHECK(first->accepted());
  CHECK(w.ask(id, waiting_for(1), "key")->replayed());
  CHECK(w.stored_sum(id) == 4);
  CHECK(w.verified());
}

TEST_CASE("a deadline that comes is decided before those who wait") {
  world w;
  const auto id = w.create();
  w.ask(id, add{1});
  w.ask(id, set_deadline{1'000});
  const auto p = w.send(id, waiting_for(2));
  w.settle();
  w.node->scheduler.clock().current_time += 1s;  // its tick has not come yet
  w.ask(id, add{1});
  CHECK(w.count(count_of("EXPIRED")) == 1);
  CHECK(p->answers == 0);
  CHECK(w.stored_sum(id) == 1);
}
