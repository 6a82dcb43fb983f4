#include "world.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::sample;
using namespace callboard::simulation;

// An actor throws

TEST_CASE("a kind that the machinery has never heard of is hosted like any other") {
  world w;
  const auto id = w.create();
  CHECK(sum_in(w.ask(id, add{2})) == 2);
  CHECK(sum_in(w.ask(id, add{3})) == 5);
  w.crash();
  CHECK(sum_in(w.read(id)) == 5);
}

TEST_CASE("who makes an actor throw is told once, and what it had sent is unaffected") {
  world w;
  const auto id = w.create();
  const auto one = w.send(id, add{1});
  const auto two = w.send(id, add{2});
  const auto bad = w.send(id, fail{});
  const auto three = w.send(id, add{4});
  w.settle();
  CHECK(one->accepted());
  CHECK(two->accepted());
  CHECK(bad->refused(code::internal));
  CHECK(bad->answers == 1);
  CHECK(three->answers == 0);
  w.pass(99ms);
  CHECK(three->answers == 0);
  w.pass(2ms);
  REQUIRE(three->accepted());
  CHECK(sum_in(three) == 7);
  CHECK(w.stored_sum(id) == 7);
}

TEST_CASE("each crash is followed by a longer rest, up to half a minute, and a quiet minute forgives") {
  world w;
  const auto id = w.create();
  w.ask(id, add{1});
  milliseconds rest{100};
  for (int i = 0; i < 11; ++i) {
    CHECK(w.ask(id, fail{})->refused(code::internal));
    w.pass(rest - 5ms);
    const auto p = w.send(id, show{});
    w.settle();
    CHECK(p->answers == 0);
    w.pass(10ms);
    CHECK(p->accepted());
    rest = std::min<milliseconds>(rest * 2, 30s);
    w.pass(16s);  // so that five do not fall into one minute
  }
  CHECK(rest == 30s);
  w.pass(61s);
  w.ask(id, fail{});
  const auto p = w.send(id, show{});
  w.pass(101ms);
  CHECK(p->accepted());
}

TEST_CASE("five crashes in a minute quarantine an entity and nobody else") {
  world w;
  const auto id = w.create();
  w.ask(id, add{1});
  const auto other = w.create();
  w.ask(other, add{1});
  for (int i = 0; i < 5; ++i) {
    CHECK(w.ask(id, fail{})->refused(code::internal));
    w.pass(2s);
  }
  CHECK(w.ask(id, add{1})->refused(code::entity_quarantined));
  CHECK(w.ask(id, show{})->refused(code::entity_quarantined));
  CHECK(w.ask(other, add{1})->accepted());
  w.pass(4min);
  CHECK(w.ask(id, show{})->refused(code::entity_quarantined));
  w.pass(1min);

  SECTION("it ends after five minutes") {
    CHECK(sum_in(w.ask(id, add{1})) == 2);
    w.pass(2min);
    CHECK(w.ask(id, fail{})->refused(code::internal));
    const auto p = w.send(id, show{});
    w.pass(150ms);
    CHECK(p->accepted());
  }
  SECTION("with one try") {
    CHECK(w.ask(id, fail{})->refused(code::internal));
    w.pass(1s);
    CHECK(w.ask(id, show{})->refused(code::entity_quarantined));
    w.pass(5min);
    CHECK(sum_in(w.ask(id, show{})) == 1);
  }
}

TEST_CASE("who waits for an entity that is quarantined meanwhile is told") {
  world w;
  const auto id = w.create();
  w.ask(id, add{1});
  std::vector<sample_probe> all;
  for (int i = 0; i < 5; ++i)
    all.push_back(w.send(id, fail{}));
  const auto waits = w.send(id, add{1});
  w.pass(5s);
  for (const auto& p : all)
    CHECK(p->refused(code::internal));
  CHECK(waits->refused(code::entity_quarantined));
  CHECK(w.stored_sum(id) == 1);
}

TEST_CASE("a command handed back to an actor that rests is not lost") {
  world w;
  const auto id = w.create();
  w.ask(id, add{1});
  w.store.next([&](const persistence::batch&, persistence::store&) {
    return persistence::commit_outcome{.how = commit_status::head_moved, .heads = {the_counter(id)}};
  });
  const auto sent = w.send(id, add{2});
  const auto bad = w.send(id, fail{});
  w.settle();
  CHECK(bad->refused(code::internal));
  CHECK(sent->answers == 0);
  w.pass(150ms);
  REQUIRE(sent->accepted());
  CHECK(sum_in(sent) == 3);
  CHECK(w.stored_sum(id) == 3);
}

TEST_CASE("a tick that throws is tried again after each rest and ends in quarantine") {
  world w;
  const auto id = w.create();
  w.ask(id, set_deadline{1'000, true});
  w.pass(1s + 3s);
  CHECK(w.ask(id, show{})->refused(code::entity_quarantined));
}

TEST_CASE("an actor that throws while its batch is in doubt loads behind that batch") {
  world w;
  const auto id = w.create();
  w.ask(id, add{1});
  w.faults->on_commit = [](const persistence::batch& b, persistence::store& behind) {
    behind.commit(b);
    return store_faults::outcome(commit_status::unknown);
  };
  const auto sent = w.send(id, add{2});
  w.send(id, fail{});
  const auto later = w.send(id, add{4});
  w.pass(1s);
  CHECK(sent->answers == 0);
  CHECK(later->answers == 0);
  w.faults->clears();
  w.pass(1s);
  CHECK(sent->accepted());
  CHECK(sum_in(later) == 7);
  CHECK(w.stored_sum(id) == 7);
}

// Limits

TEST_CASE("only the callers of an overrun entity are told that it is overrun") {
  world w;
  const auto hot = w.create(10'000);
  const auto cool = w.create();
  w.faults->stays(commit_status::transient);
  std::vector<sample_probe> all;
  for (int i = 1; i <= 1'024; ++i)
    all.push_back(w.send(hot, add{1}));
  w.settle();
  const auto beyond = w.ask(hot, add{1});
  CHECK(beyond->refused(code::overloaded));
  const auto elsewhere = w.ask(cool, add{1});
  CHECK(elsewhere->answers == 0);
  w.faults->clears();
  w.pass(1s);
  CHECK(std::all_of(all.begin(), all.end(), [](const auto& p) { return p->accepted(); }));
  CHECK(elsewhere->accepted());
  all.clear();  // a request counts until nobody holds it
  CHECK(w.ask(hot, add{1})->accepted());
  CHECK(w.verified());
}

TEST_CASE("whoever arrives while an actor leaves is not lost and keeps its turn") {
  world w;
  const auto id = w.create();
  w.permuted = true;
  for (int round = 0; round < 20; ++round) {
    w.pass(80s);
    std::vector<sample_probe> all;
    // Between its leave and its being gone: one step, then a caller.
    for (int i = 1; i <= 10; ++i) {
      if (i == 3)
        caf::anon_send(w.node->supervisor, actors::idle_atom::value, the_counter(id));
      all.push_back(w.send(id, add{1}));
      if (i % 3 == 0)
        w.node->scheduler.try_run_once();
    }
    w.settle();
    for (std::size_t i = 0; i < all.size(); ++i) {
      REQUIRE(all[i]->accepted());
      const auto n = round * 10 + static_cast<std::int64_t>(i) + 1;
      CHECK(sum_in(all[i]) == n);
    }
  }
  CHECK(w.verified());
}

TEST_CASE("an actor with something pending does not leave") {
  world w;
  const auto id = w.create();
  w.faults->stays(commit_status::transient);
  const auto p = w.send(id, add{1});
  w.settle();
  caf::anon_send(w.node->supervisor, actors::idle_atom::value, the_counter(id));
  w.settle();
  CHECK(w.node->occupied.residents == 1);
  w.faults->clears();
  w.pass(1s);
  CHECK(p->accepted());
}

TEST_CASE("above the limit the least recently used leaves") {
  world w;
  w.supervision.residents_max = 3;
  w.crash();
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i)
    ids.push_back(w.create());
  w.ask(ids[0], add{1});  // now the second is the oldest
  ids.push_back(w.create());
  CHECK(w.node->occupied.residents == 3);
  w.faults->unreachable = true;  // who is not resident cannot be read
  CHECK(w.read(ids[0])->accepted());
  CHECK(w.read(ids[2])->accepted());
  CHECK(w.read(ids[3])->accepted());
  CHECK(w.read(ids[1])->refused(code::not_applied));
}

TEST_CASE("a command whose deadline passes while it waits for a load has changed nothing") {
  world w;
  const auto id = w.create();
  w.ask(id, add{1});
  // In doubt for long: what comes behind it cannot be loaded.
  w.faults->on_commit = [](const persistence::batch&, persistence::store&) {
    return store_faults::outcome(commit_status::unknown);
  };
  w.send(id, add{1});
  w.settle();
  w.send(id, add{1});
  w.pass(6s);  // the state rests on what was dropped, and is away until the doubt is resolved
  const auto p = w.send_read(id);
  w.pass(9s);
  CHECK(p->answers == 0);
  w.pass(3s);
  CHECK(p->refused(code::not_applied));
  w.faults->clears();
  w.pass(3s);
  CHECK(sum_in(w.read(id)) == 2);
  CHECK(w.verified());
}

TEST_CASE("a load that fails tells whoever waited, and the next one tries again") {
  world w;
  const auto id = w.create();
  w.pass(120s);
  w.store.fails_reads(1);
  CHECK(w.ask(id, add{1})->refused(code::not_applied));
  CHECK(w.ask(id, add{1})->accepted());
}
