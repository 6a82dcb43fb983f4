#include "tests/rules/story.hpp"

using namespace callboard;
using namespace callboard::tests;

namespace {

constexpr std::size_t rows_max = 1'000;

/// One slot, taken by the first, and so many waiting behind.
story crowded(int waiting) {
  story s{slots(1)};
  for (int who = 1; who <= waiting + 1; ++who)
    s.decides(application_by(who));
  return s;
}

std::vector<std::int64_t> promoted_in_order(const story& s) {
  std::vector<std::int64_t> out;
  for (const auto& e : s.journal)
    if (const auto* p = std::get_if<promoted>(&e.event))
      out.push_back(ordinal_of(p->application));
  return out;
}

}  // namespace

TEST_CASE("the ten millionth application is refused") {
  state nearly;
  nearly.id = {job_7};
  nearly.exists = true;
  nearly.capacity = 1;
  nearly.total = 9'999'998;
  story s{nearly};
  REQUIRE(s.applies(1).value == 79'999'999);
  s.refuses(code::conflict, application_by(2));
  s.accepts(leaving(application_of({job_7}, 9'999'999)));  // numbers are never used again
  s.refuses(code::conflict, application_by(2));
  REQUIRE(s.accepts(show_summary{}).total_applications == 9'999'999);
}

TEST_CASE("a raise for more than a decision can hold goes on by ticks before any new applicant") {
  constexpr int waiting = 2'500;
  auto s = crowded(waiting);
  s.decides(capacity_to(10'000));
  CHECK(s.rows_changed <= rows_max);
  REQUIRE(s.count<promoted>() > 900);  // as much as a decision holds
  REQUIRE(s.count<promoted>() < waiting);
  REQUIRE(kind::deadline(s.state()).value() <= s.now());            // the rest is due at once
  REQUIRE(kind::deadline(s.store.load(job_7)).value() <= s.now());  // also after a restart

  const auto new_applicant = s.accepts(application_by(99'999));
  REQUIRE(new_applicant.status == status::active);  // nobody waits any more
  REQUIRE(s.most_rows_changed <= rows_max);
  const auto order = promoted_in_order(s);
  REQUIRE(order.size() == waiting);
  for (std::size_t i = 0; i < order.size(); ++i)
    REQUIRE(order[i] == static_cast<std::int64_t>(i) + 2);
  REQUIRE(std::holds_alternative<applied>(s.journal.back().event));
  REQUIRE(s.accepts(show{}).active_count == waiting + 2);
}

TEST_CASE("a reopening for more than a decision can hold goes on by ticks") {
  constexpr int waiting = 1'500;
  auto s = crowded(waiting);
  s.accepts(closing);
  s.accepts(capacity_to(2'000));
  REQUIRE(s.count<promoted>() == 0);
  s.accepts(reopening);
  s.pass(0s);
  REQUIRE(s.count<promoted>() == waiting);
  REQUIRE(s.most_rows_changed <= rows_max);
  REQUIRE(s.waitlist().empty());
}

TEST_CASE("an unfinished cascade is not outrun by a withdrawal, a question or a lower capacity") {
  constexpr int waiting = 1'500;
  auto s = crowded(waiting);
  s.decides(capacity_to(2'000));
  const bool asks = GENERATE(true, false);
  if (asks)
    REQUIRE(s.accepts(show_queue{}).waitlist.empty());
  else
    REQUIRE(s.accepts(capacity_to(1)).active_count == waiting + 1);
}

TEST_CASE("an unfinished cascade that meets a closed door stops") {
  auto s = crowded(1'500);
  s.decides(capacity_to(2'000));
  const auto so_far = s.count<promoted>();
  s.decides(closing);  // decided before the next tick could come
  s.pass(10s);
  REQUIRE(s.count<promoted>() == so_far);
}

TEST_CASE("more offers than a decision can hold decay in turn when they are due together") {
  constexpr int offers = 1'500;
  story s{slots_by_offer(offers)};
  for (int who = 1; who <= offers; ++who)
    s.decides(application_by(who));
  s.pass(600s);
  REQUIRE(s.count<decayed>() == offers);
  REQUIRE(s.count<promoted>() == offers - 1);  // each decay frees a slot for the one before it
  REQUIRE(s.most_rows_changed <= rows_max);
  std::int64_t n = 0;
  for (const auto& e : s.journal)
    if (const auto* d = std::get_if<decayed>(&e.event))
      REQUIRE(ordinal_of(d->application) == ++n);
  REQUIRE(s.accepts(show{}).active_count == offers - 1);
  REQUIRE(s.state().cooling->n == offers);
}

TEST_CASE("a decision of one application changes few rows") {
  auto s = crowded(2'000);
  s.decides(application_by(99'999));
  REQUIRE(s.rows_changed == 2);  // the application and the counts
  s.accepts(leaving(application_of({job_7}, 1)));
  REQUIRE(s.rows_changed == 3);  // who left, who was promoted, the counts
}

TEST_CASE("a state's weight grows with the number of applications") {
  REQUIRE(kind::weight(crowded(1'000).state()) > kind::weight(crowded(10).state()));
}
