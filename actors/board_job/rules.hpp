#pragma once

#include "actors/board_job/state.hpp"
#include "actors/decision.hpp"
#include "messages/board_job.hpp"

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The rules of a board job: who has claimed it, what became of the run, when it is gone. Pure: time comes in.
namespace callboard::board_job {

/// Every move a job can make. Anything else is impossible by construction.
struct move {
  std::optional<status> from;
  status to;
};
inline constexpr std::array lifecycle{
    move{std::nullopt, status::discovered},      // ingest
    move{status::discovered, status::queued},    // claim
    move{status::queued, status::applied},       // success
    move{status::queued, status::discovered},    // failure, lock expired
    move{status::discovered, status::applied},   // late success without a successor
    move{status::expired, status::applied},      // the same
    move{status::rejected, status::applied},     // the same
    move{status::discovered, status::expired},   // manual, clean-up, crawl
    move{status::discovered, status::rejected},  // manual
    move{status::applied, status::expired},      // manual, forced
    move{status::applied, status::rejected},     // manual, forced
    move{status::applied, status::discovered},   // manual, forced
    move{status::expired, status::rejected},     // manual
    move{status::rejected, status::expired},     // manual
    move{status::expired, status::discovered},   // manual, seen again
    move{status::rejected, status::discovered},  // manual
};

constexpr bool allowed(std::optional<status> from, status to) {
  for (const auto& m : lifecycle)
    if (m.from == from && m.to == to)
      return true;
  return false;
}
static_assert(!allowed(status::applied, status::queued), "what was applied to is not claimed again as it is");
static_assert(!allowed(status::queued, status::expired), "a run fails before its job goes");
static_assert(!allowed(status::expired, status::queued), "what is gone is not claimed");

/// Moves of a run that its agent may report.
constexpr bool may_report(run_status from, run_status to) {
  return from == to || from == run_status::pending || (from == run_status::submitted && to != run_status::pending);
}
static_assert(!may_report(run_status::submitted, run_status::pending), "a run does not go back");

/// A discovered job that nobody has seen for so long expires. One hour more than promised: the journal may be told an
/// hour late that it was seen.
inline constexpr milliseconds seen_told_every = std::chrono::hours{1};
inline constexpr milliseconds unseen_max = std::chrono::days{7} + seen_told_every;

struct kind {
  static constexpr std::string_view name = "board_job";
  using state = board_job::state;
  using command = board_job::command;
  using event = board_job::event;
  using tick = board_job::tick;
  using changes = board_job::changes;
  using result = board_job::result;
  using answer = std::variant<result, refusal>;

  static state initial(const std::string& key);
  static answer decide(decision<kind>& d, const command& c);
  static void evolve(state& s, const event& e, instant at, changes& changed);
  /// When the rules must look again at the latest.
  static std::optional<instant> deadline(const state& s);
  /// Whom an event is about, for timelines: the run.
  static std::optional<std::string> subject(const event& e);
  static void rows(const state& s, const changes& changed, std::int64_t version, std::vector<row>& out);
  /// Bytes a state is roughly worth in memory.
  static std::size_t weight(const state& s);
};

job shown(const state& s, std::int64_t version);
run shown(const state& s, const run_record& r);

}  // namespace callboard::board_job
