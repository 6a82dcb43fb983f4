#include "second_writer.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace callboard;
using namespace callboard::sample;
using namespace callboard::simulation;

namespace {

using persistence::batch;

const claim_name ada{"ada", {}};

/// Before the next commit another process creates counter 777 and gives it this name.
void takes(world& w, const std::string& name) {
  w.store.next([&w, name](const batch& b, persistence::store& inner) {
    second_writer other{w.faults->behind(), w.now()};
    other.decides<kind>("777", create{10});
    other.decides<kind>("777", claim_name{name, {}});
    return inner.commit(b);
  });
}

std::string owner(world& w, const std::string& name) {
  return w.text("select counter from sample_names where name = '" + name + "'");
}

std::int64_t names(world& w) { return w.count("select count(*) from sample_names"); }

}  // namespace

TEST_CASE("a name is stored by the commit of its claim") {
  world w;
  const auto id = w.create();
  const auto commits = w.store.commits();
  const auto p = w.ask(id, ada);
  REQUIRE(p->accepted());
  CHECK(counter_in(p).name == "ada");
  CHECK(w.store.commits() == commits + 1);
  CHECK(owner(w, "ada") == id);
  w.crash();
  CHECK(counter_in(w.read(id)).name == "ada");
  CHECK(w.ask(id, claim_name{"eve", {}})->refused(code::conflict));  // it has a name
  CHECK(w.verified());
}

TEST_CASE("a name that somebody else took before the commit is looked up and the claim decided again") {
  world w;
  const auto a = w.create();
  const auto b = w.create();
  takes(w, "ada");
  const auto lost = w.send(a, ada);
  const auto behind = w.send(a, add{5});
  const auto other = w.send(b, claim_name{"eve", {}});
  w.settle();
  CHECK(lost->refused(code::conflict));
  CHECK(lost->answers == 1);
  CHECK(w.resolutions == 1);
  CHECK(w.events_of(*lost) == 0);
  CHECK(behind->accepted());
  CHECK(behind->answers == 1);
  CHECK(other->accepted());
  CHECK(owner(w, "ada") == "777");
  CHECK(w.verified());
}

TEST_CASE("a name lost by several entities at once is looked up for each of them") {
  world w;
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i)
    ids.push_back(w.create());
  takes(w, "ada");
  std::vector<sample_probe> all;
  for (const auto& id : ids)
    all.push_back(w.send(id, ada));
  w.settle();
  for (const auto& p : all)
    CHECK(p->refused(code::conflict));
  CHECK(w.resolutions == 4);
  CHECK(names(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("a lost name found out by a resend is looked up") {
  world w;
  const auto id = w.create();
  w.store.fails(commit_status::unknown);
  takes(w, "ada");
  const auto p = w.send(id, ada);
  w.pass(1s);
  CHECK(p->refused(code::conflict));
  CHECK(w.resolutions == 1);
  CHECK(w.verified());
}

TEST_CASE("of many entities that claim one name at once one gets it") {
  world w;
  w.permuted = GENERATE(false, true);
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i)
    ids.push_back(w.create());
  std::vector<sample_probe> all;
  for (const auto& id : ids)
    all.push_back(w.send(id, ada));
  w.settle();
  CHECK(std::count_if(all.begin(), all.end(), [](const auto& p) { return p->accepted(); }) == 1);
  CHECK(std::count_if(all.begin(), all.end(), [](const auto& p) { return p->refused(code::conflict); }) == 4);
  CHECK(names(w) == 1);
  CHECK(w.verified());
}

TEST_CASE("when the claim of one is refused another still gets the name") {
  world w;
  const auto id = w.create();
  const auto no = w.send("404", ada);
  const auto yes = w.send(id, ada);
  w.settle();
  CHECK(no->refused(code::not_found));
  CHECK(yes->accepted());
  CHECK(owner(w, "ada") == id);
  CHECK(w.resolutions == 0);
}

TEST_CASE("when the claim of one is cut it still gets the name") {
  world w;
  const auto id = w.create();
  w.store.next([&w, id](const batch& b, persistence::store& inner) {
    second_writer{w.faults->behind(), w.now()}.decides<kind>(id, add{9});
    return inner.commit(b);
  });
  const auto p = w.ask(id, ada);
  REQUIRE(p->accepted());
  CHECK(sum_in(p) == 9);
  CHECK(owner(w, "ada") == id);
  CHECK(w.resolutions == 0);
  CHECK(w.verified());
}

TEST_CASE("when the claim of one is poison another still gets the name") {
  world w;
  const auto a = w.create();
  const auto b = w.create();
  w.faults->on_commit = [a](const batch& batch, persistence::store&) {
    const bool offends =
        std::any_of(batch.heads.begin(), batch.heads.end(), [&](const auto& h) { return h.entity->key == a; });
    return offends ? std::optional{store_faults::outcome(commit_status::poison)} : std::nullopt;
  };
  const auto one = w.send(a, ada);
  const auto two = w.send(b, ada);
  w.settle();
  CHECK(one->refused(code::internal));
  CHECK(two->accepted());
  CHECK(owner(w, "ada") == b);
  CHECK(names(w) == 1);
}

TEST_CASE("a claim that fails leaves no name behind") {
  world w;
  const auto id = w.create();
  w.faults->stays(commit_status::transient);
  const auto p = w.send(id, ada);
  w.pass(6s);
  CHECK(p->refused(code::not_applied));
  w.faults->clears();
  w.pass(2s);
  CHECK(names(w) == 0);
  CHECK_FALSE(counter_in(w.read(id)).name);
}

TEST_CASE("a lost name that cannot be looked up says that nothing was written") {
  world w;
  const auto id = w.create();
  takes(w, "ada");
  const auto p = w.send(id, ada);
  while (w.resolutions == 0)
    w.run(1);
  w.store.fails_reads(1);
  w.settle();
  CHECK(p->refused(code::not_applied));
  CHECK(w.events_of(*p) == 0);
  CHECK(w.ask(id, ada)->refused(code::conflict));
  CHECK(w.verified());
}

TEST_CASE("a claim that lost its name is not remembered under its key") {
  world w;
  const auto id = w.create();
  takes(w, "ada");
  const auto lost = w.ask(id, ada, "key");
  CHECK(lost->refused(code::conflict));
  CHECK(w.count("select count(*) from requests") == 0);
  CHECK(w.ask(id, claim_name{"eve", {}}, "key")->accepted());
  CHECK(w.verified());
}
