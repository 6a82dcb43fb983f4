#include "world.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::sample;
using namespace callboard::simulation;

namespace {

/// From now on no commit is answered and nobody can connect; the first batch went in or not.
void falls_silent(world& w, bool commits_first) {
  w.faults->on_commit = [&w, commits_first](const persistence::batch& b, persistence::store& behind) {
    if (commits_first)
      behind.commit(b);
    w.faults->unreachable = true;
    return store_faults::outcome(commit_status::unknown);
  };
}

}  // namespace

TEST_CASE("a batch whose reply was lost is sent again, finds itself and is answered") {
  world w;
  const auto id = w.create();
  const auto commits = w.store.commits();
  w.store.loses_reply();
  const auto p = w.send(id, add{1});
  w.pass(1s);
  CHECK(p->accepted());
  CHECK(p->answers == 1);
  CHECK(w.store.commits() == commits + 2);
  CHECK(w.store.reconnects() == 1);
  CHECK(w.events_of(*p) == 1);
  CHECK(w.verified());
}

TEST_CASE("a batch that was lost is sent again and commits") {
  world w;
  const auto id = w.create();
  w.store.fails(commit_status::unknown);
  const auto p = w.send(id, add{1});
  w.settle();
  CHECK(p->answers == 0);
  w.pass(1s);
  CHECK(p->accepted());
  CHECK(w.events_of(*p) == 1);
  CHECK(w.verified());
}

TEST_CASE("a batch that commits late, after anybody could have looked, is answered as committed") {
  world w;
  const auto id = w.create();
  w.store.fails(commit_status::unknown);
  w.store.next([](const persistence::batch& b, persistence::store& inner) {
    inner.commit(b);  // the first one arrives at last; who looked before saw nothing
    return inner.commit(b);
  });
  const auto p = w.send(id, add{1});
  w.pass(1s);
  CHECK(p->accepted());
  CHECK(w.events_of(*p) == 1);
  CHECK(w.verified());
}

TEST_CASE("a late batch that commits while reconnecting is answered as committed") {
  world w;
  const auto id = w.create();
  w.store.commits_late();
  w.store.fails_reconnects(3);
  const auto p = w.send(id, add{1});
  w.pass(3s);
  CHECK(p->accepted());
  CHECK(w.events_of(*p) == 1);
}

TEST_CASE("entities of a batch in doubt decide on and queue behind it") {
  world w;
  const auto id = w.create();
  w.store.fails(commit_status::unknown);
  w.store.fails_reconnects(2);
  const auto first = w.send(id, add{1});
  w.settle();
  const auto second = w.send(id, add{1});
  const auto saw = w.send_read(id);
  w.settle();
  CHECK(first->answers + second->answers + saw->answers == 0);
  w.pass(2s);
  CHECK(first->accepted());
  CHECK(second->accepted());
  CHECK(saw->version == 3);
  CHECK(w.verified());
}

TEST_CASE("a doubt that outlasts patience is admitted, and resolved all the same") {
  world w;
  const bool committed = GENERATE(true, false);
  const auto a = w.create();
  const auto b = w.create();
  w.ask(a, add{1});
  falls_silent(w, committed);
  const auto wrote = w.send(a, add{1}, "key");
  w.settle_without_writer();  // a key is looked up first, and commands without one pass by
  const auto saw = w.send_read(a);
  const auto refused = w.send(a, add{2'000});
  w.settle();
  const auto behind = w.send(a, add{1});
  const auto other = w.send(b, add{1});
  const auto joined = w.send(a, add{1}, "key");
  w.pass(4'900ms);
  CHECK(wrote->answers + saw->answers + refused->answers + behind->answers + other->answers + joined->answers == 0);
  w.pass(1s);
  CHECK(wrote->refused(code::outcome_unknown));
  CHECK(saw->refused(code::not_applied));
  CHECK(refused->refused(code::not_applied));
  CHECK(behind->refused(code::not_applied));
  CHECK(other->refused(code::not_applied));
  CHECK(joined->refused(code::in_progress));
  CHECK(w.ask(b, add{1})->refused(code::not_applied));

  w.faults->clears();
  w.pass(5s);
  CHECK(w.events_of(*wrote) == 1);
  CHECK(w.events_of(*behind) == 0);
  CHECK(w.events_of(*other) == 0);
  CHECK(sum_in(w.read(a)) == 2);
  // Who asks again with its key hears what became of it.
  CHECK(w.ask(a, add{1}, "key")->replayed());
  CHECK(w.ask(a, add{1})->accepted());
  CHECK(w.ask(b, add{1})->accepted());
  for (const auto& p : {wrote, saw, refused, behind, other, joined})
    CHECK(p->answers == 1);
  CHECK(w.verified());
}

TEST_CASE("an entity without anything behind its batch in doubt is right after the resolution") {
  world w;
  const bool committed = GENERATE(true, false);
  const auto id = w.create();
  falls_silent(w, committed);
  const auto p = w.send(id, add{1}, "key");
  w.pass(10s);
  CHECK(p->refused(code::outcome_unknown));
  CHECK(w.read(id)->refused(code::not_applied));  // it would tell what nobody knows
  w.faults->clears();
  w.pass(5s);
  CHECK(sum_in(w.read(id)) == 1);
  CHECK(w.ask(id, add{1}, "key")->replayed());
  CHECK(w.ask(id, add{1})->accepted());
  w.pass(120s);
  CHECK(w.node->occupied.residents == 0);
  CHECK(w.verified());
}

TEST_CASE("any other error of a resend resolves nothing") {
  world w;
  const auto how = GENERATE(commit_status::transient, commit_status::full, commit_status::down, commit_status::unknown);
  const auto id = w.create();
  w.store.loses_reply();
  w.faults->on_commit = nullptr;
  const auto p = w.send(id, add{1});
  w.settle();
  w.faults->stays(how);
  w.pass(4s);
  CHECK(p->answers == 0);
  w.pass(2s);
  CHECK(p->refused(code::outcome_unknown));
  w.faults->clears();
  w.pass(5s);
  CHECK(w.events_of(*p) == 1);
  CHECK(w.ask(id, add{1})->accepted());
  CHECK(w.verified());
}

TEST_CASE("a timer in a batch in doubt is armed by its resolution") {
  world w;
  const bool committed = GENERATE(true, false);
  const auto id = w.create();
  falls_silent(w, committed);
  w.send(id, set_deadline{30'000});
  w.pass(10s);
  CHECK(w.node->timer_counts.waiting == 0);
  w.faults->clears();
  w.pass(4s);
  CHECK(w.node->timer_counts.waiting == 1);
  w.pass(17s);
  CHECK(w.count(count_of("EXPIRED")) == 1);
  CHECK(w.verified());
}

TEST_CASE("a process that dies in doubt finds what was committed") {
  world w;
  const bool committed = GENERATE(true, false);
  const auto id = w.create();
  falls_silent(w, committed);
  w.send(id, add{1}, "key");
  w.pass(1s);
  w.faults->clears();
  w.crash();
  const auto p = w.ask(id, add{1}, "key");
  CHECK(p->replayed() == committed);
  CHECK(p->accepted() == !committed);
  CHECK(w.stored_sum(id) == 1);
  CHECK(w.verified());
}

TEST_CASE("a batch is not taken for committed because somebody else wrote meanwhile") {
  world w;
  const auto id = w.create();
  // Another process held the store for a while: it opened (two steps) and committed (one).
  w.store.write("update writers set batch = batch + 3", {}, [](const persistence::result_row&) {});
  w.store.fails(commit_status::unknown);
  const auto p = w.send(id, add{1});
  w.pass(1s);
  CHECK(p->refused(code::outcome_unknown));
  CHECK(w.has_warning("not as we left it"));
  CHECK(w.stored_sum(id) == 0);
  CHECK(w.ask(id, add{1})->accepted());
  CHECK(w.verified());
}
