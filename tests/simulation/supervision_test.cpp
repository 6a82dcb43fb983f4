#include "counter_kind.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::simulation;
using namespace callboard::simulation::counting;

// An actor throws

TEST_CASE("a kind that the machinery has never heard of is hosted like any other") {
  counting_world w;
  CHECK(sum_in(w.asks(add{2})) == 2);
  CHECK(sum_in(w.asks(add{3})) == 5);
  w.crash();
  CHECK(sum_in(w.reads()) == 5);
}

TEST_CASE("who makes an actor throw is told once, and what it had sent is unaffected") {
  counting_world w;
  const auto one = w.sends(add{1});
  const auto two = w.sends(add{2});
  const auto bad = w.sends(explode{});
  const auto three = w.sends(add{4});
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
  CHECK(w.sum() == 7);
}

TEST_CASE("each crash is followed by a longer rest, up to half a minute, and a quiet minute forgives") {
  counting_world w;
  w.asks(add{1});
  milliseconds rest{100};
  for (int i = 0; i < 11; ++i) {
    CHECK(w.asks(explode{})->refused(code::internal));
    w.pass(rest - 5ms);
    const auto p = w.sends(show{});
    w.settle();
    CHECK(p->answers == 0);
    w.pass(10ms);
    CHECK(p->accepted());
    rest = std::min<milliseconds>(rest * 2, 30s);
    w.pass(16s);  // so that five do not fall into one minute
  }
  CHECK(rest == 30s);
  w.pass(61s);
  w.asks(explode{});
  const auto p = w.sends(show{});
  w.pass(101ms);
  CHECK(p->accepted());
}

TEST_CASE("five crashes in a minute quarantine an entity and nobody else") {
  counting_world w;
  w.asks(add{1});
  w.asks(add{1}, "b");
  for (int i = 0; i < 5; ++i) {
    CHECK(w.asks(explode{})->refused(code::internal));
    w.pass(2s);
  }
  CHECK(w.asks(add{1})->refused(code::entity_quarantined));
  CHECK(w.asks(show{})->refused(code::entity_quarantined));
  CHECK(w.asks(add{1}, "b")->accepted());
  w.pass(4min);
  CHECK(w.asks(show{})->refused(code::entity_quarantined));
  w.pass(1min);

  SECTION("it ends after five minutes") {
    CHECK(sum_in(w.asks(add{1})) == 2);
    w.pass(2min);
    CHECK(w.asks(explode{})->refused(code::internal));
    const auto p = w.sends(show{});
    w.pass(150ms);
    CHECK(p->accepted());
  }
  SECTION("with one try") {
    CHECK(w.asks(explode{})->refused(code::internal));
    w.pass(1s);
    CHECK(w.asks(show{})->refused(code::entity_quarantined));
    w.pass(5min);
    CHECK(sum_in(w.asks(show{})) == 1);
  }
}

TEST_CASE("who waits for an entity that is quarantined meanwhile is told") {
  counting_world w;
  w.asks(add{1});
  std::vector<counting_world::answered> all;
  for (int i = 0; i < 5; ++i)
    all.push_back(w.sends(explode{}));
  const auto waits = w.sends(add{1});
  w.pass(5s);
  for (const auto& p : all)
    CHECK(p->refused(code::internal));
  CHECK(waits->refused(code::entity_quarantined));
  CHECK(w.sum() == 1);
}

TEST_CASE("a command handed back to an actor that rests is not lost") {
  counting_world w;
  w.asks(add{1});
  w.store.next([](const persistence::batch&, persistence::store&) {
    return persistence::commit_outcome{.how = commit_status::head_moved, .heads = {{kind::name, "a"}}};
  });
  const auto sent = w.sends(add{2});
  const auto bad = w.sends(explode{});
  w.settle();
  CHECK(bad->refused(code::internal));
  CHECK(sent->answers == 0);
  w.pass(150ms);
  REQUIRE(sent->accepted());
  CHECK(sum_in(sent) == 3);
  CHECK(w.sum() == 3);
}

TEST_CASE("a tick that throws is tried again after each rest and ends in quarantine") {
  counting_world w;
  w.asks(light{1'000});
  w.pass(1s + 3s);
  CHECK(w.asks(show{})->refused(code::entity_quarantined));
}

TEST_CASE("an actor that throws while its batch is in doubt loads behind that batch") {
  counting_world w;
  w.asks(add{1});
  w.faults->on_commit = [](const persistence::batch& b, persistence::store& behind) {
    behind.commit(b);
    return store_faults::outcome(commit_status::unknown);
  };
  const auto sent = w.sends(add{2});
  w.sends(explode{});
  const auto later = w.sends(add{4});
  w.pass(1s);
  CHECK(sent->answers == 0);
  CHECK(later->answers == 0);
  w.faults->clears();
  w.pass(1s);
  CHECK(sent->accepted());
  CHECK(sum_in(later) == 7);
  CHECK(w.sum() == 7);
}

// Limits

TEST_CASE("only the callers of an overrun entity are told that it is overrun") {
  world w;
  const auto hot = w.create(job(1));
  const auto cool = w.create(job(1));
  w.faults->stays(commit_status::transient);
  std::vector<std::shared_ptr<opening_probe>> all;
  for (int i = 1; i <= 1'024; ++i)
    all.push_back(w.send(hot, by(i)));
  w.settle();
  const auto beyond = w.ask(hot, by(5'000));
  CHECK(beyond->refused(code::overloaded));
  const auto elsewhere = w.ask(cool, by(1));
  CHECK(elsewhere->answers == 0);
  w.faults->clears();
  w.pass(1s);
  CHECK(std::all_of(all.begin(), all.end(), [](const auto& p) { return p->accepted(); }));
  CHECK(elsewhere->accepted());
  all.clear();  // a request counts until nobody holds it
  CHECK(w.ask(hot, by(5'000))->accepted());
  CHECK(w.verified());
}

TEST_CASE("whoever arrives while an actor leaves is not lost and keeps its turn") {
  world w;
  const auto id = w.create(job(1));
  w.permuted = true;
  for (int round = 0; round < 20; ++round) {
    w.pass(80s);
    std::vector<std::shared_ptr<opening_probe>> all;
    // Between its leave and its being gone: one step, then a caller.
    for (int i = 1; i <= 10; ++i) {
      if (i == 3)
        caf::anon_send(w.node->supervisor, actors::idle_atom::value, the(id));
      all.push_back(w.send(id, by(round * 100 + i)));
      if (i % 3 == 0)
        w.node->scheduler.try_run_once();
    }
    w.settle();
    for (std::size_t i = 0; i < all.size(); ++i) {
      REQUIRE(all[i]->accepted());
      const auto n = round * 10 + static_cast<std::int64_t>(i) + 1;
      CHECK(all[i]->get<opening::application_result>().application == nth(id, n));
    }
  }
  CHECK(w.verified());
}

TEST_CASE("an actor with something pending does not leave") {
  world w;
  const auto id = w.create(job(1));
  w.faults->stays(commit_status::transient);
  const auto p = w.send(id, by(1));
  w.settle();
  caf::anon_send(w.node->supervisor, actors::idle_atom::value, the(id));
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
    ids.push_back(w.create(job(1)));
  w.ask(ids[0], by(1));  // now the second is the oldest
  ids.push_back(w.create(job(1)));
  CHECK(w.node->occupied.residents == 3);
  w.faults->unreachable = true;  // who is not resident can not be read
  CHECK(w.read(ids[0], opening::show{})->accepted());
  CHECK(w.read(ids[2], opening::show{})->accepted());
  CHECK(w.read(ids[3], opening::show{})->accepted());
  CHECK(w.read(ids[1], opening::show{})->refused(code::not_applied));
}

TEST_CASE("a command whose deadline passes while it waits for a load has changed nothing") {
  world w;
  const auto id = w.create(job(1));
  w.ask(id, by(1));
  // In doubt for long: what comes behind it can not be loaded.
  w.faults->on_commit = [](const persistence::batch&, persistence::store&) {
    return store_faults::outcome(commit_status::unknown);
  };
  w.send(id, by(2));
  w.settle();
  w.send(id, by(3));
  w.pass(6s);  // the state rests on what was dropped, and is away until the doubt is resolved
  const auto p = w.send_read(id, opening::show{});
  w.pass(9s);
  CHECK(p->answers == 0);
  w.pass(3s);
  CHECK(p->refused(code::not_applied));
  w.faults->clears();
  w.pass(3s);
  CHECK(w.read(id, opening::show{})->get<opening::job>().waitlist_count == 1);
  CHECK(w.verified());
}

TEST_CASE("a load that fails tells whoever waited, and the next one tries again") {
  world w;
  const auto id = w.create(job(1));
  w.pass(120s);
  w.store.fails_reads(1);
  CHECK(w.ask(id, by(1))->refused(code::not_applied));
  CHECK(w.ask(id, by(1))->accepted());
}
