#include "openings.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::simulation;

namespace {

/// An opening with so many waiting behind one who has the only slot.
std::string crowded(opening_world& w, std::int64_t waiting) {
  const auto id = w.create(job(1));
  for (std::int64_t i = 1; i <= waiting + 1; ++i) {
    w.send(id, by(i));
    if (i % 500 == 0)  // an entity takes so many requests at a time
      w.settle();
  }
  w.settle();
  return id;
}

std::int64_t promotions(opening_world& w) { return w.count(count_of("PROMOTED")); }

}  // namespace

TEST_CASE("a cascade of more than a thousand goes on by itself") {
  opening_world w;
  const auto id = crowded(w, 2'500);
  CHECK(w.ask(id, with_capacity(3'000))->accepted());
  CHECK(promotions(w) == 2'500);
  const auto p = w.ask(id, by(9'000));
  CHECK(p->get<opening::application_result>().status == opening::status::active);
  CHECK(w.verified());
}

TEST_CASE("no new applicant comes before the rest of a cascade") {
  opening_world w;
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
  opening_world w;
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
  opening_world w;
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
