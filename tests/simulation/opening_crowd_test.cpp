#include "openings.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace callboard::simulation;

namespace {

struct weight {
  std::size_t heads = 0, lines = 0, rows = 0;
};

/// What the next commit carries.
std::shared_ptr<weight> weigh_next(opening_world& w) {
  auto seen = std::make_shared<weight>();
  w.store.next([seen](const persistence::batch& b, persistence::store& inner) {
    seen->heads = b.heads.size();
    seen->lines = b.lines.size();
    for (const auto& t : b.tables)
      seen->rows += t.upserts.size() + t.erasures.size();
    return inner.commit(b);
  });
  return seen;
}

}  // namespace

TEST_CASE("a commit weighs what changed, not the hundred thousand who wait") {
  constexpr std::int64_t crowd = 100'000;
  opening_world w;
  const auto id = w.create(job(1));
  for (std::int64_t n = 1; n <= crowd + 1; ++n) {
    w.send(id, by(n));
    if (n % 1'000 == 0)
      w.settle();
  }
  w.settle();
  CHECK(w.ask(id, opening::show{})->get<opening::job>().waitlist_count == crowd);

  const auto applied = weigh_next(w);
  const auto last = w.ask(id, by(crowd + 2));
  CHECK(last->get<opening::application_result>().position == crowd + 1);
  CHECK(applied->heads == 1);
  CHECK(applied->lines == 1);
  CHECK(applied->rows == 2);  // the application and the counts

  const auto left = weigh_next(w);
  CHECK(w.ask(id, leaves(id, crowd / 2))->accepted());
  CHECK(left->lines == 1);
  CHECK(left->rows == 2);

  // Everybody behind moved up by one, also for who loads the opening anew.
  w.crash();
  const auto application_status =
      w.ask(id, opening::show_application_status{{nth(id, crowd / 2 - 1), nth(id, crowd / 2 + 1), nth(id, crowd + 2)}});
  const auto& where = application_status->get<opening::application_statuses>().applications;
  REQUIRE(where.size() == 3);
  CHECK(where[0].position == crowd / 2 - 2);
  CHECK(where[1].position == crowd / 2 - 1);
  CHECK(where[2].position == crowd);

  const auto freed = weigh_next(w);
  CHECK(w.ask(id, leaves(id, 1))->accepted());
  CHECK(freed->lines == 2);  // withdrawn and promoted
  CHECK(freed->rows == 4);   // both applications, the counts, the timer
  const auto acknowledged = weigh_next(w);
  CHECK(w.ask(id, opening::acknowledge{nth(id, 2)})->accepted());
  CHECK(acknowledged->lines == 1);
  CHECK(acknowledged->rows == 2);
  CHECK(w.verified());
}
