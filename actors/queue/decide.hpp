#pragma once

#include "actors/queue/rows.hpp"
#include "actors/queue/rules.hpp"
#include "messages/queue/payload.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// What the files of the rules share. There is one overload of `on` per command; a command without one does not
/// compile.
namespace callboard::queue {

using deciding = decision<kind>;
using answer = kind::answer;

// enqueue.cpp
answer on(deciding& d, const enqueue& c);

// worker.cpp
answer on(deciding& d, const claim& c);
answer on(deciding& d, const heartbeat& c);
answer on(deciding& d, const complete& c);
answer on(deciding& d, const fail& c);
answer on(deciding& d, const release& c);

// operator.cpp
answer on(deciding& d, const cancel& c);
answer on(deciding& d, const cancel_matching& c);
answer on(deciding& d, const redrive& c);
answer on(deciding& d, const configure& c);
answer on(deciding& d, const store_response& c);

// due.cpp
answer on(deciding& d, const purge& c);
answer on(deciding& d, const tick&);

// questions.cpp
answer on(deciding& d, const show_settings&);
answer on(deciding& d, const show_stats&);
answer on(deciding& d, const explain& c);
answer on(deciding& d, const show_dead& c);

/// A decision moves at most so many jobs: each may change three rows.
inline constexpr std::size_t jobs_per_decision_max = changes_max / 3;

inline settings_view settings_of(const state& s) {
  return {s.name, s.paused, s.max_in_flight, s.rate_per_s, s.aging_s, s.per_key};
}

/// A report row of a job, to be filled in.
inline report_row report_of(const deciding& d, const std::string& id) {
  report_row r;
  r.queue = d.state().name;
  r.id = id;
  return r;
}
inline void write_report(deciding& d, const report_row& r) { d.extra_rows.push_back(to_row(r)); }

/// The result of a job that is in memory.
inline job_result result_of(const job& j) {
  const auto run_at = j.status == status::scheduled ? std::optional{j.run_at} : std::nullopt;
  return {j.id, j.status, j.attempts, run_at, {}, j.cancel_requested, {}, {}};
}
/// The result of a job that ended now.
inline job_result ended(const deciding& d, const std::string& id, status how, std::int64_t attempts) {
  return {id, how, attempts, {}, d.now, false, {}, {}};
}

}  // namespace callboard::queue
