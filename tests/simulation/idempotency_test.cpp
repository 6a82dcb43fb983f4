#include "base/json_write.hpp"
#include "second_writer.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::sample;
using namespace callboard::simulation;

namespace {

sample_probe send_other(world& w, const std::string& id, command c, const std::string& key) {
  auto p = std::make_shared<probe<kind>>();
  p->command = std::move(c);
  w.address(*p, the_counter(id), key);
  p->key->fingerprint = "another request";
  w.dispatch(p);
  return p;
}

std::int64_t records(world& w) { return w.count("select count(*) from requests"); }

}  // namespace

TEST_CASE("a retried command is answered as the first time") {
  world w;
  const auto id = w.create();
  const auto first = w.ask(id, add{1}, "key");
  REQUIRE(first->accepted());
  const bool crashes = GENERATE(false, true);
  if (crashes)
    w.crash();
  const auto again = w.ask(id, add{1}, "key");
  REQUIRE(again->replayed());
  CHECK(again->again->how == success::ok);
  CHECK(again->again->body == to_json(counter_in(first)));
  CHECK(w.events_of(*again) == 0);
  CHECK(w.stored_sum(id) == 1);
  CHECK(w.verified());
}

TEST_CASE("a record and its effect are one commit") {
  world w;
  const auto id = w.create();
  const auto commits = w.store.commits();
  w.ask(id, add{1}, "key");
  CHECK(w.store.commits() == commits + 1);
  CHECK(records(w) == 1);
}

TEST_CASE("of many equal requests in flight one has an effect and the others hear its answer") {
  world w;
  w.permuted = GENERATE(false, true);
  const auto id = w.create();
  std::vector<sample_probe> all;
  for (int i = 0; i < 16; ++i)
    all.push_back(w.send(id, add{1}, "key"));
  w.settle();
  CHECK(std::count_if(all.begin(), all.end(), [](const auto& p) { return p->accepted(); }) == 1);
  CHECK(std::count_if(all.begin(), all.end(), [](const auto& p) { return p->replayed(); }) == 15);
  CHECK(std::all_of(all.begin(), all.end(), [](const auto& p) { return p->answers == 1; }));
  CHECK(w.stored_sum(id) == 1);
  CHECK(w.node->writer.counted().fenced == 0);
  CHECK(w.verified());
}

TEST_CASE("who joins hears nothing before the commit") {
  world w;
  const auto id = w.create();
  const auto first = w.send(id, add{1}, "key");
  w.settle_without_writer();
  const auto joined = w.send(id, add{1}, "key");
  w.settle_without_writer();
  CHECK(first->answers == 0);
  CHECK(joined->answers == 0);
  w.settle();
  CHECK(first->accepted());
  CHECK(joined->replayed());
}

TEST_CASE("a key used for another request is refused") {
  world w;
  const auto id = w.create();

  SECTION("long afterwards") {
    w.ask(id, add{1}, "key");
    w.crash();
    const auto p = send_other(w, id, add{1}, "key");
    w.settle();
    CHECK(p->refused(code::idempotency_mismatch));
  }
  SECTION("while the first is in flight") {
    const auto first = w.send(id, add{1}, "key");
    const auto looked_up = send_other(w, id, add{1}, "key");
    w.settle_without_writer();
    const auto decided = send_other(w, id, add{1}, "key");
    w.settle();
    CHECK(first->accepted());
    CHECK(looked_up->refused(code::idempotency_mismatch));
    CHECK(decided->refused(code::idempotency_mismatch));
  }
  CHECK(w.stored_sum(id) == 1);
}

TEST_CASE("when the first was refused whoever joined is decided on its own") {
  world w;
  const auto id = w.create();
  w.ask(id, add{1'000});
  const auto first = w.send(id, add{1}, "key");
  const auto joined = w.send(id, add{1}, "key");
  const auto other = send_other(w, id, add{1}, "key");
  w.settle();
  for (const auto& p : {first, joined, other}) {
    CHECK(p->refused(code::conflict));
    CHECK(p->answers == 1);
  }
  CHECK(records(w) == 0);
  w.ask(id, take{2});
  CHECK(w.ask(id, add{1}, "key")->accepted());  // only successes are remembered
}

TEST_CASE("a create that races itself with one key makes one entity") {
  world w;
  w.permuted = GENERATE(false, true);
  const auto one = w.send_create(1'000, "key");
  const auto two = w.send_create(1'000, "key");
  w.settle();
  CHECK(one->accepted() + two->accepted() == 1);
  CHECK(one->replayed() + two->replayed() == 1);
  const auto& winner = one->accepted() ? one : two;
  const auto& loser = one->accepted() ? two : one;
  CHECK(loser->again->body == to_json(counter_in(winner)));
  CHECK(w.count("select count(*) from sample_counters") == 1);
  CHECK(w.count("select count(*) from journal") == 1);
  CHECK(w.node->occupied.residents <= 1);
  CHECK(w.verified());
}

TEST_CASE("a success without events commits its record alone") {
  world w;
  const auto id = w.create();
  const auto commits = w.store.commits();
  const auto first = w.send(id, add{0}, "key");
  w.settle_without_writer();
  CHECK(first->answers == 0);
  const auto joined = w.send(id, add{0}, "key");
  w.settle_without_writer();
  CHECK(joined->answers == 0);  // all events are stored, the record is not
  w.settle();
  REQUIRE(first->accepted());
  CHECK(joined->replayed());
  CHECK(w.store.commits() == commits + 1);
  CHECK(records(w) == 1);
  CHECK(w.events_of(*first) == 0);
  w.crash();
  CHECK(w.ask(id, add{0}, "key")->replayed());
}

TEST_CASE("an actor does not leave before the record of a success without events is stored") {
  world w;
  const auto id = w.create();
  w.store.fails(commit_status::transient);
  const auto p = w.send(id, add{0}, "key");
  w.settle();
  caf::anon_send(w.node->supervisor, actors::idle_atom::value, the_counter(id));
  w.settle();
  CHECK(w.node->occupied.residents == 1);
  // Were it gone, nobody would take back what is handed back.
  w.store.next([&](const persistence::batch&, persistence::store&) {
    return persistence::commit_outcome{.how = commit_status::head_moved, .heads = {the_counter(id)}};
  });
  w.pass(1s);
  CHECK(p->accepted());
}

TEST_CASE("a record older than a day counts as absent") {
  world w;
  const auto id = w.create();
  const auto first = w.ask(id, add{1}, "key");
  w.pass(24h - 1min);
  CHECK(w.ask(id, add{1}, "key")->replayed());
  w.pass(2min);
  const auto again = w.ask(id, add{1}, "key");
  REQUIRE(again->accepted());
  CHECK(sum_in(again) == 2);
  CHECK(records(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("when a key cannot be looked up nothing is decided") {
  world w;
  const auto id = w.create();
  w.store.fails_reads(1);
  const auto first = w.send(id, add{1}, "key");
  const auto joined = w.send(id, add{1}, "key");
  w.settle();
  CHECK(first->refused(code::not_applied));
  CHECK(joined->refused(code::in_progress));
  CHECK(w.stored_sum(id) == 0);
  CHECK(w.ask(id, add{1}, "key")->accepted());
}

TEST_CASE("a cut while a key is looked up loses nobody") {
  world w;
  const auto id = w.create();
  w.store.next([&w, id](const persistence::batch& b, persistence::store& inner) {
    second_writer{w.faults->behind(), w.now()}.decides<kind>(id, add{1});
    return inner.commit(b);
  });
  const auto plain = w.send(id, add{1});
  const auto keyed = w.send(id, add{1}, "key");
  const auto joined = w.send(id, add{1}, "key");
  while (w.node->scheduler.try_run_once()) {
  }                       // decided, asked for, not looked up
  w.node->writer.step();  // cut
  w.settle();
  CHECK(plain->accepted());
  CHECK(keyed->accepted() + joined->accepted() == 1);
  CHECK(keyed->replayed() + joined->replayed() == 1);
  CHECK(w.stored_sum(id) == 3);
  CHECK(w.verified());
}

TEST_CASE("keyed commands that are cut are decided once") {
  world w;
  const auto id = w.create();
  w.store.next([&w, id](const persistence::batch& b, persistence::store& inner) {
    second_writer{w.faults->behind(), w.now()}.decides<kind>(id, add{1});
    return inner.commit(b);
  });
  std::vector<sample_probe> all;
  for (int i = 0; i < 8; ++i)
    all.push_back(w.send(id, add{1}, "key"));
  w.settle();
  CHECK(std::count_if(all.begin(), all.end(), [](const auto& p) { return p->accepted(); }) == 1);
  CHECK(std::count_if(all.begin(), all.end(), [](const auto& p) { return p->replayed(); }) == 7);
  CHECK(w.stored_sum(id) == 2);
  CHECK(w.verified());
}

TEST_CASE("a key that somebody else used first answers with what was stored") {
  world w;
  const auto id = w.create();
  w.store.next([&w, id](const persistence::batch& b, persistence::store& inner) {
    second_writer{w.faults->behind(), w.now()}.answers(id + "/key", "{\"from\":\"elsewhere\"}");
    return inner.commit(b);
  });
  const auto p = w.send(id, claim_name{"ada", {}}, "key");
  w.settle();
  REQUIRE(p->replayed());
  CHECK(p->again->body == "{\"from\":\"elsewhere\"}");
  CHECK(w.resolutions == 0);  // its key was taken, not its name
  CHECK(w.count("select count(*) from sample_names") == 0);
  CHECK(w.verified());
}

TEST_CASE("a keyed request that is turned away after its look-up does not block its key") {
  world w;
  const auto id = w.create();
  const auto other = w.create();

  SECTION("because its deadline has passed") {
    const auto p = w.send(id, add{1}, "key");
    while (w.node->scheduler.try_run_once()) {
    }
    const auto joined = w.send(id, add{1}, "key");
    while (w.node->scheduler.try_run_once()) {
    }
    p->time_limit = -1ms;
    p->renew(w.steady());  // while the look-up took its time
    w.settle();
    CHECK(p->refused(code::not_applied));
    CHECK(joined->accepted());
  }
  SECTION("because the store went away") {
    w.faults->stays(commit_status::transient);
    w.send(other, add{1});
    w.pass(4'990ms);
    const auto p = w.send(id, add{1}, "key");
    while (w.node->scheduler.try_run_once()) {
    }
    const auto joined = w.send(id, add{1}, "key");
    while (w.node->scheduler.try_run_once()) {
    }
    // Patience ends between its arrival and its look-up.
    w.node->scheduler.clock().advance_time(20ms);
    w.node->writer.step();
    w.settle();
    CHECK(p->refused(code::not_applied));
    CHECK(joined->refused(code::not_applied));
    w.faults->clears();
    w.pass(2s);
    CHECK(w.ask(id, add{1}, "key")->accepted());
  }
  CHECK(w.ask(id, add{1}, "key")->replayed());
  CHECK(w.stored_sum(id) == 1);
  CHECK(w.verified());
}

TEST_CASE("who joined and then had to stand for itself is not told less than it may know") {
  world w;
  const auto id = w.create();
  // The first is poison; the one who joined it is decided on its own, and its outcome stays unknown.
  const auto owner = w.send(id, add{1}, "key");
  w.settle_without_writer();
  const auto joined = w.send(id, add{1}, "key");
  w.settle_without_writer();
  w.faults->on_commit = [&](const persistence::batch& b, persistence::store&) {
    const bool is_first = b.lines.front().by->request == owner->name();
    w.faults->unreachable = !is_first;
    return store_faults::outcome(is_first ? commit_status::poison : commit_status::unknown);
  };
  w.pass(8s);
  CHECK(owner->refused(code::internal));
  CHECK(joined->refused(code::outcome_unknown));
  w.faults->clears();
  w.pass(5s);
  CHECK(w.events_of(*owner) == 0);
  CHECK(w.events_of(*joined) == 1);
  CHECK(w.verified());
}

TEST_CASE("a request with a key gives its place back when it is answered") {
  world w;
  w.supervision.requests_max = 1;
  w.crash();
  const auto id = w.create();
  CHECK(w.ask(id, add{1}, "one")->accepted());
  CHECK(w.ask(id, add{1}, "two")->accepted());
  CHECK(w.read(id)->accepted());
}
