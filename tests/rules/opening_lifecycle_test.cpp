#include "tests/rules/story.hpp"

using namespace callboard;
using namespace callboard::tests;
using Catch::Matchers::Contains;

namespace {

constexpr std::int64_t subject = 42;

/// The status of the subject's application when a command comes.
enum class place_in_life { unknown, active, waiting, decayed, pending, inactive };

constexpr std::string_view name_of(place_in_life p) {
  constexpr std::array<std::string_view, 6> names{"unknown", "active", "waiting", "decayed", "pending", "inactive"};
  return names[static_cast<std::size_t>(p)];
}

/// Leads the subject of an opening with one slot to its place; returns its application.
application_id lead(story& s, place_in_life to) {
  if (to == place_in_life::unknown) {
    s.applies(1);
    return application_of({job_7}, 2);
  }
  if (to == place_in_life::active)
    return s.applies(subject);
  if (to == place_in_life::inactive) {
    const auto a = s.applies(subject);
    s.accepts(leaving(a));
    return a;
  }
  const auto keeper = s.applies(1);
  const auto a = s.applies(subject);
  if (to == place_in_life::waiting)
    return a;
  s.accepts(leaving(keeper));
  if (to == place_in_life::pending)
    return a;
  s.pass(5min);  // the offer runs out
  s.applies(2);  // and a new applicant takes the slot
  return a;
}

/// A refusal by its code, or the status after success.
using expectation = std::variant<status, code>;

struct pair_of {
  place_in_life from;
  expectation withdraw, acknowledge, decline;
  std::optional<code> apply;  ///< nothing: a new application
};

const std::array pairs{
    pair_of{place_in_life::unknown, code::not_found, code::not_found, code::not_found, {}},
    pair_of{place_in_life::active, status::inactive, code::conflict, code::conflict, code::duplicate_submission},
    pair_of{place_in_life::waiting, status::inactive, code::conflict, code::conflict, code::duplicate_submission},
    pair_of{place_in_life::decayed, status::inactive, code::gone, code::gone, code::duplicate_submission},
    pair_of{place_in_life::pending, status::inactive, status::active, status::inactive, code::duplicate_submission},
    pair_of{place_in_life::inactive, code::conflict, code::conflict, code::conflict, {}},
};

template <class Command>
void meets(story& s, const Command& c, application_id a, const expectation& expected) {
  if (const auto* no = std::get_if<code>(&expected)) {
    const auto message = s.refuses(*no, c).message;
    if (*no == code::not_found)
      REQUIRE_THAT(message, Contains("not found"));
    else if (*no == code::conflict)
      REQUIRE_THAT(message,
                   Contains(std::is_same_v<Command, withdraw> ? "already inactive" : "not pending acknowledgment"));
    return;
  }
  const auto answer = s.accepts(c);
  REQUIRE(answer.application == a);
  REQUIRE(answer.applicant.value == subject);
  REQUIRE(answer.job.value == job_7);
  REQUIRE(name(answer.status) == name(std::get<status>(expected)));
  REQUIRE(name(s.status_of(a)) == name(answer.status));
  REQUIRE(answer.position == std::nullopt);
  REQUIRE(answer.acknowledge_deadline == std::nullopt);
}

status status_after(const event& e) {
  if (const auto* one = std::get_if<applied>(&e))
    return one->status;
  if (std::holds_alternative<promoted>(e))
    return status::pending_acknowledgment;
  if (std::holds_alternative<acknowledged>(e))
    return status::active;
  return std::holds_alternative<decayed>(e) ? status::waitlist : status::inactive;
}

/// The status an event found an application in, by what the journal said before.
std::optional<status> status_before(const std::vector<story::entry>& journal, std::size_t at, application_id a) {
  while (at-- > 0)
    if (kind::subject(journal[at].event) == std::to_string(a.value))
      return status_after(journal[at].event);
  return std::nullopt;
}

}  // namespace

TEST_CASE("the states have their public names and EXPIRED is none of them") {
  REQUIRE(names_of(status{}) ==
          std::array<std::string_view, 4>{"ACTIVE", "WAITLIST", "PENDING_ACKNOWLEDGMENT", "INACTIVE"});
  REQUIRE_FALSE(from_name<status>("EXPIRED"));
}

TEST_CASE("every command meets every state of an application and does what the contract says") {
  const bool closed = GENERATE(false, true);
  for (const auto& p : pairs) {
    INFO(name_of(p.from) << (closed ? ", opening closed" : ", opening open"));
    const auto told = [&](auto&& then) {
      story s;
      const auto a = lead(s, p.from);
      if (closed)
        s.accepts(closing);
      then(s, a);
    };
    told([&](story& s, application_id a) { meets(s, leaving(a), a, p.withdraw); });
    told([&](story& s, application_id a) { meets(s, acknowledge{a}, a, p.acknowledge); });
    told([&](story& s, application_id a) { meets(s, decline{a}, a, p.decline); });
    told([&](story& s, application_id a) {
      if (closed) {
        s.refuses(code::opening_closed, application_by(subject));
      } else if (p.apply) {
        REQUIRE(s.refuses(*p.apply, application_by(subject)).message ==
                "Applicant 42 already has an active application for job 7");
      } else {
        const auto again = s.applies(subject);
        REQUIRE((p.from == place_in_life::unknown || again != a));
        REQUIRE(s.shown_application(again)->penalty_count == 0);
      }
    });
  }
}

TEST_CASE("everything but a create is refused where there is no opening") {
  story s{kind::initial("7")};
  const auto a = application_of({job_7}, 1);
  REQUIRE_THAT(s.refuses(code::not_found, application_by(1)).message, Contains("Job 7"));
  s.refuses(code::not_found, leaving(a));
  s.refuses(code::not_found, acknowledge{a});
  s.refuses(code::not_found, decline{a});
  s.refuses(code::not_found, capacity_to(2));
  s.refuses(code::not_found, show{});
  s.refuses(code::not_found, show_pipeline{});
  s.refuses(code::not_found, show_queue{});
  s.refuses(code::not_found, show_summary{});
  s.refuses(code::not_found, show_application_status{{a}});
  REQUIRE_FALSE(kind::deadline(s.state()));
}

TEST_CASE("a missing job is told before a missing applicant") {
  story nowhere{kind::initial("7")};
  auto stranger = application_by(5);
  stranger.known = false;
  REQUIRE_THAT(nowhere.refuses(code::not_found, stranger).message, Contains("Job 7"));
  story s;
  REQUIRE_THAT(s.refuses(code::not_found, stranger).message, Contains("Applicant 5"));
  s.accepts(closing);
  REQUIRE_THAT(s.refuses(code::not_found, stranger).message,
               Contains("Applicant 5"));  // existence before state
}

TEST_CASE("number zero and numbers not given yet are unknown applications") {
  story s;
  s.applies(1);
  for (const auto n : {0, 2, 9'999'999}) {
    const auto a = application_of({job_7}, n);
    s.refuses(code::not_found, leaving(a));
    s.refuses(code::not_found, acknowledge{a});
    s.refuses(code::not_found, decline{a});
    REQUIRE_FALSE(s.shown_application(a));
  }
}

TEST_CASE("of eight withdrawals of one application one succeeds and seven conflict") {
  story s;
  const auto ada = s.applies(1);
  s.accepts(leaving(ada));
  for (int i = 0; i < 7; ++i)
    REQUIRE_THAT(s.refuses(code::conflict, leaving(ada)).message, Contains("already inactive"));
  REQUIRE(s.count<withdrawn>() == 1);
}

TEST_CASE("withdraw and acknowledge of one offer exclude each other") {
  SECTION("the withdrawal comes first") {
    story s{slots_by_offer(1)};
    const auto ada = s.applies(1);
    s.accepts(leaving(ada));
    s.refuses(code::conflict, acknowledge{ada});
  }
  SECTION("the acknowledgment comes first, then a withdrawal ends what is active") {
    story s{slots_by_offer(1)};
    const auto ada = s.applies(1);
    s.accepts(acknowledge{ada});
    s.refuses(code::conflict, acknowledge{ada});
    s.refuses(code::conflict, decline{ada});
    s.accepts(leaving(ada));
    REQUIRE(s.last<withdrawn>().from == status::active);
  }
}

TEST_CASE("a withdrawal says from where and by whom, and its reason rests in the row alone") {
  story s;
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  const auto cyd = s.applies(3);
  SECTION("by the applicant unless said otherwise") {
    s.accepts(leaving(bob));
    REQUIRE(s.last<withdrawn>().by == party::applicant);
    REQUIRE(s.last<withdrawn>().from == status::waitlist);
    REQUIRE(s.row_of(bob).reason == std::nullopt);
  }
  SECTION("by the company, from every state that is live or waiting") {
    s.accepts(withdraw{ada, {}, party::company});
    REQUIRE(s.last<withdrawn>().by == party::company);
    REQUIRE(s.last<withdrawn>().from == status::active);
    s.accepts(withdraw{bob, {}, party::company});
    REQUIRE(s.last<withdrawn>().from == status::pending_acknowledgment);
    s.accepts(acknowledge{cyd});
  }
  SECTION("the reason is no part of the journal") {
    s.accepts(withdraw{ada, "found a better stage", party::applicant});
    REQUIRE(s.row_of(ada).reason == "found a better stage");
    for (const auto& e : s.journal)
      REQUIRE_THAT(text_of(e.event), !Contains("better stage"));
    REQUIRE(s.row_of(bob).reason == std::nullopt);  // who was promoted by it did not say it
  }
}

TEST_CASE("who left may apply again, without the old penalty and with the old application in the "
          "history") {
  story s;
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  s.accepts(leaving(ada));
  s.pass(5min);  // bob's offer decays
  REQUIRE(s.shown_application(bob)->penalty_count == 1);
  s.accepts(leaving(bob));
  const auto again = s.applies(2);
  REQUIRE(again != bob);
  REQUIRE(s.shown_application(again)->penalty_count == 0);
  REQUIRE(s.row_of(bob).status == status::inactive);
  REQUIRE(s.row_of(bob).penalty == 1);
  s.refuses(code::conflict, leaving(bob));
  s.refuses(code::duplicate_submission, application_by(2));
}

TEST_CASE("whatever happens to an application is a move of the lifecycle") {
  story s{slots_by_offer(2)};
  const auto ada = s.applies(1);
  const auto bob = s.applies(2);
  s.applies(3);
  s.applies(4);
  s.accepts(acknowledge{ada});
  s.accepts(decline{bob});
  s.pass(5min);
  s.accepts(leaving(ada));
  s.pass(20min);
  for (std::size_t i = 0; i < s.journal.size(); ++i)
    if (const auto a = kind::subject(s.journal[i].event)) {
      INFO(text_of(s.journal[i].event));
      REQUIRE(allowed(application_lifecycle, status_before(s.journal, i, {std::stoll(*a)}),
                      status_after(s.journal[i].event)));
    }
}

TEST_CASE("an event that is no move of the lifecycle cannot be applied") {
  story s;
  const auto ada = s.applies(1);
  auto copy = s.state();
  changes changed;
  REQUIRE_THROWS(kind::evolve(copy, promoted{ada, dawn}, dawn, changed));
  REQUIRE_THROWS(kind::evolve(copy, acknowledged{ada}, dawn, changed));
  REQUIRE_THROWS(kind::evolve(copy, decayed{ada, 1, 1, 1, dawn}, dawn, changed));
  REQUIRE_THROWS(
      kind::evolve(copy, withdrawn{application_of({job_7}, 2), status::active, party::applicant}, dawn, changed));
}
