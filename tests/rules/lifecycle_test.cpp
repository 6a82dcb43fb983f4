#include "actors/board/rules.hpp"
#include "actors/board_job/rules.hpp"
#include "actors/opening/rules.hpp"
#include "actors/queue/rules.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace callboard::tests {
namespace {

constexpr instant dawn{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
constexpr instant later = dawn + std::chrono::minutes{5};

/// An event and the status to which it moves its noun.
template <class Kind, class Status>
struct step {
  typename Kind::event event;
  Status to;
};

// One struct per table: `path(from)` are the events that bring a noun into a status, `steps()` those that move it on.

struct application {
  using kind = opening::kind;
  using status = opening::status;
  static constexpr const auto& table = opening::application_lifecycle;
  static constexpr std::string_view key = "7";
  static constexpr opening::application_id id = opening::application_of({7}, 1);

  static opening::event applied_as(status to) {
    opening::applied e;
    e.application = id;
    e.applicant = {1};
    e.status = to;
    if (to == status::waitlist)
      e.rank = 1;
    if (to == status::pending_acknowledgment)
      e.acknowledge_deadline = later;
    return e;
  }
  static std::vector<opening::event> path(std::optional<status> from) {
    if (!from)
      return {};
    if (*from == status::inactive)
      return {applied_as(status::active), opening::withdrawn{id, status::active, opening::party::applicant}};
    return {applied_as(*from)};
  }
  static std::vector<step<kind, status>> beginnings() {
    std::vector<step<kind, status>> out;
    for (const auto to : {status::active, status::waitlist, status::pending_acknowledgment, status::inactive})
      out.push_back({applied_as(to), to});
    return out;
  }
  static std::vector<step<kind, status>> steps() {
    return {{opening::promoted{id, later}, status::pending_acknowledgment},
            {opening::acknowledged{id}, status::active},
            {opening::decayed{id, 1, 2, 1, later}, status::waitlist},
            {opening::declined{id}, status::inactive},
            {opening::withdrawn{id, status::active, opening::party::company}, status::inactive}};
  }
};

struct work_job {
  using kind = queue::kind;
  using status = queue::status;
  static constexpr const auto& table = queue::job_lifecycle;
  static constexpr std::string_view key = "work";

  static queue::event enqueued_as(status to) {
    return queue::enqueued{
        {{"a", "mail", 5, 4, to == status::scheduled ? std::optional{later} : std::nullopt, {}, {}}}};
  }
  static queue::event claimed() { return queue::claimed{"w", 1, 60'000, later, {"a"}}; }
  static queue::event died() { return queue::died{{{"a", 4, "print", {}}}}; }
  static std::vector<queue::event> path(std::optional<status> from) {
    if (!from)
      return {};
    switch (*from) {
    case status::processing:
      return {enqueued_as(status::pending), claimed()};
    case status::complete:
      return {enqueued_as(status::pending), claimed(), queue::completed{{"a"}}};
    case status::failed:
      return {enqueued_as(status::pending), claimed(), died()};
    case status::cancelled:
      return {enqueued_as(status::pending), queue::cancelled{{"a"}}};
    default:
      return {enqueued_as(*from)};
    }
  }
  static std::vector<step<kind, status>> beginnings() {
    return {{enqueued_as(status::pending), status::pending}, {enqueued_as(status::scheduled), status::scheduled}};
  }
  static std::vector<step<kind, status>> steps() {
    return {{claimed(), status::processing},
            {queue::completed{{"a"}}, status::complete},
            {queue::retried{"a", 1, later}, status::scheduled},
            {died(), status::failed},
            {queue::released{{"a"}}, status::pending},
            {queue::lapsed{{"a"}}, status::pending},
            {queue::matured{{"a"}}, status::pending},
            {queue::expired{{"a"}}, status::failed},
            {queue::cancelled{{"a"}}, status::cancelled},
            {queue::redriven{{{"a", {}}}}, status::pending},
            {queue::redriven{{{"a", later}}}, status::scheduled}};
  }
};

struct board_job_itself {
  using kind = board_job::kind;
  using status = board_job::status;
  static constexpr const auto& table = board_job::job_lifecycle;
  static constexpr std::string_view key = "acme:7";

  static board_job::event claimed() { return board_job::claimed{"r", 1, {}, {}, 300, later, {}}; }
  static board_job::event succeeded() { return board_job::succeeded{"r", false}; }
  static board_job::event failed() { return board_job::failed{"r", board_job::failure_reason::lock_expired}; }
  static board_job::event changed(status to) {
    return board_job::status_changed{status::discovered, to, board_job::cause::manual};
  }
  /// Jobs without a run, but for those that a run has moved.
  static std::vector<board_job::event> path(std::optional<status> from) {
    if (!from)
      return {};
    switch (*from) {
    case status::queued:
      return {board_job::discovered{}, claimed()};
    case status::applied:
      return {board_job::discovered{}, claimed(), succeeded()};
    case status::discovered:
      return {board_job::discovered{}};
    default:
      return {board_job::discovered{}, changed(*from)};
    }
  }
  static std::vector<step<kind, status>> beginnings() { return {{board_job::discovered{}, status::discovered}}; }
  static std::vector<step<kind, status>> steps() {
    std::vector<step<kind, status>> out{{claimed(), status::queued}};
    for (std::size_t i = 0; i < table.status_count; ++i)
      out.push_back({changed(static_cast<status>(i)), static_cast<status>(i)});
    return out;
  }
};

struct board_run {
  using kind = board_job::kind;
  using status = board_job::run_status;
  static constexpr const auto& table = board_job::run_lifecycle;
  static constexpr std::string_view key = "acme:7";

  static board_job::event renewed(status to) { return board_job::renewed{"r", to, later}; }
  static std::vector<board_job::event> path(std::optional<status> from) {
    if (!from)
      return {board_job::discovered{}};
    switch (*from) {
    case status::submitted:
      return {board_job::discovered{}, board_job_itself::claimed(), renewed(status::submitted)};
    case status::success:
      return {board_job::discovered{}, board_job_itself::claimed(), board_job_itself::succeeded()};
    case status::failed:
      return {board_job::discovered{}, board_job_itself::claimed(), board_job_itself::failed()};
    default:
      return {board_job::discovered{}, board_job_itself::claimed()};
    }
  }
  static std::vector<step<kind, status>> beginnings() { return {{board_job_itself::claimed(), status::pending}}; }
  static std::vector<step<kind, status>> steps() {
    return {{renewed(status::pending), status::pending},
            {renewed(status::submitted), status::submitted},
            {board_job_itself::succeeded(), status::success},
            {board_job_itself::failed(), status::failed}};
  }
};

struct crawl {
  using kind = board::kind;
  using status = board::crawl_status;
  static constexpr const auto& table = board::crawl_lifecycle;
  static constexpr std::string_view key = "acme";

  static board::event ended_as(status to) { return board::crawl_ended{1, to, 0}; }
  static std::vector<board::event> path(std::optional<status> from) {
    if (!from)
      return {board::created{}};
    std::vector<board::event> out{board::created{}, board::crawl_started{1, "manual"}};
    if (*from != status::running)
      out.push_back(ended_as(*from));
    return out;
  }
  static std::vector<step<kind, status>> beginnings() { return {{board::crawl_started{1, "manual"}, status::running}}; }
  static std::vector<step<kind, status>> steps() {
    return {{ended_as(status::running), status::running},
            {ended_as(status::finished), status::finished},
            {ended_as(status::failed), status::failed}};
  }
};

template <named Status>
std::optional<Status> move_from(const lifecycle<Status>&) {
  return {};
}

/// Whether a kind's evolve takes an event after these others; what it throws must be a logic_error.
template <class Noun>
bool takes(const std::vector<typename Noun::kind::event>& before, const typename Noun::kind::event& e) {
  using kind = typename Noun::kind;
  auto s = kind::initial(std::string{Noun::key});
  typename kind::changes changed;
  for (const auto& one : before)
    kind::evolve(s, one, dawn, changed);
  try {
    kind::evolve(s, e, dawn, changed);
    return true;
  } catch (const std::logic_error&) {
    return false;
  }
}

/// A status may be repeated where an event says what it is, not what it becomes.
template <class Noun>
bool repeats(typename Noun::status from, const typename Noun::kind::event& e) {
  if constexpr (std::is_same_v<Noun, board_job_itself>) {
    const auto* changed = std::get_if<board_job::status_changed>(&e);
    return changed && changed->to == from;
  } else if constexpr (std::is_same_v<Noun, board_run>) {
    const auto* renewed = std::get_if<board_job::renewed>(&e);
    return renewed && renewed->status == from;
  } else
    return false;
}

}  // namespace

TEMPLATE_TEST_CASE("evolve makes the moves of the lifecycle and throws at any other", "", application, work_job,
                   board_job_itself, board_run, crawl) {
  using noun = TestType;
  using status = typename noun::status;
  for (const auto& s : noun::beginnings()) {
    INFO("nothing to " << name(s.to));
    CHECK(takes<noun>(noun::path(std::nullopt), s.event) == allowed(noun::table, std::nullopt, s.to));
  }
  for (const auto& s : noun::steps())
    CHECK_FALSE(takes<noun>(noun::path(std::nullopt), s.event));
  for (std::size_t i = 0; i < noun::table.status_count; ++i) {
    const auto from = static_cast<status>(i);
    for (const auto& s : noun::steps()) {
      INFO(name(from) << " to " << name(s.to) << " by " << std::visit([](const auto& e) { return e.type; }, s.event));
      CHECK(takes<noun>(noun::path(from), s.event) ==
            (allowed(noun::table, from, s.to) || repeats<noun>(from, s.event)));
    }
  }
}

TEMPLATE_TEST_CASE("every move of the lifecycle has an event that makes it", "", application, work_job, crawl,
                   board_run) {
  using noun = TestType;
  using status = typename noun::status;
  const auto is_made = [](const auto& steps, status to) {
    return std::any_of(steps.begin(), steps.end(), [&](const auto& s) { return s.to == to; });
  };
  for (std::size_t j = 0; j < noun::table.status_count; ++j) {
    const auto to = static_cast<status>(j);
    INFO("to " << name(to));
    if (allowed(noun::table, std::nullopt, to))
      CHECK(is_made(noun::beginnings(), to));
    for (std::size_t i = 0; i < noun::table.status_count; ++i)
      if (allowed(noun::table, static_cast<status>(i), to))
        CHECK(is_made(noun::steps(), to));
  }
}

TEST_CASE("the tables hold the moves of the contracts and no other") {
  // Rows: from nothing, then from each status; columns: to each status.
  using text = std::vector<std::string>;
  const auto shown = [](const auto& table) {
    using status = std::remove_cvref_t<decltype(*move_from(table))>;
    text out(table.status_count + 1);
    for (std::size_t i = 0; i <= table.status_count; ++i)
      for (std::size_t j = 0; j < table.status_count; ++j) {
        const auto from = i == 0 ? std::nullopt : std::optional{static_cast<status>(i - 1)};
        out[i] += allowed(table, from, static_cast<status>(j)) ? 'x' : '.';
      }
    return out;
  };
  CHECK(shown(opening::application_lifecycle) == text{"xxx.", "...x", "..xx", "xx.x", "...."});
  CHECK(shown(queue::job_lifecycle) == text{"xx....", "..x.xx", "x....x", "xx.xxx", "......", "xx....", "......"});
  CHECK(shown(board_job::run_lifecycle) == text{"x...", ".xxx", "..xx", "....", "..x."});
  CHECK(shown(board::crawl_lifecycle) == text{"x..", ".xx", "...", "..."});
}

TEST_CASE("what exists is not made again") {
  CHECK_FALSE(takes<application>(application::path(opening::status::active),
                                 application::applied_as(opening::status::waitlist)));
  CHECK_FALSE(takes<work_job>(work_job::path(queue::status::pending), work_job::enqueued_as(queue::status::pending)));
  CHECK_FALSE(takes<board_job_itself>(board_job_itself::path(board_job::status::expired), board_job::discovered{}));
  CHECK_FALSE(takes<crawl>(crawl::path(board::crawl_status::running), board::crawl_started{1, "manual"}));
}

TEST_CASE("only the run of an expired lock can still succeed") {
  CHECK_FALSE(takes<board_run>({board_job::discovered{}, board_job_itself::claimed(),
                                board_job::failed{"r", board_job::failure_reason::reported}},
                               board_job_itself::succeeded()));
}

TEST_CASE("a queue purges dead jobs only, and renews only leases that exist") {
  CHECK(takes<work_job>(work_job::path(queue::status::failed), queue::purged{{"a"}}));
  CHECK_FALSE(takes<work_job>(work_job::path(queue::status::pending), queue::purged{{"a"}}));
  CHECK(takes<work_job>(work_job::path(queue::status::processing), queue::renewed{"a", later}));
  CHECK_FALSE(takes<work_job>(work_job::path(queue::status::pending), queue::renewed{"a", later}));
}

}  // namespace callboard::tests
