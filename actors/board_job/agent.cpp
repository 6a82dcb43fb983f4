#include "actors/board_job/decide.hpp"
#include "actors/board_job/rows.hpp"
#include "base/json_merge.hpp"
#include "base/json_read.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

/// Claims and reports: what agents ask.
namespace callboard::board_job {
namespace {

refusal stale(const std::string& run_id, const std::string& why) {
  return {code::stale_run, "Run " + quoted(run_id) + ' ' + why, {}};
}

/// The run changed after it was looked up for this command.
refusal outdated(deciding& d, const std::string& run_id) {
  d.lookup_is_stale = true;
  return {code::in_progress, "Run " + quoted(run_id) + " changed meanwhile; ask again", {}};
}

/// A run that is in memory: the last one, or one that succeeded.
const run_record* find(const state& s, const std::string& run_id) {
  if (s.last && s.last->id == run_id)
    return &*s.last;
  const auto it = s.successes.find(run_id);
  return it == s.successes.end() ? nullptr : &it->second;
}

run_record& run_of(state& s, const std::string& run_id) {
  return s.last && s.last->id == run_id ? *s.last : s.successes.at(run_id);
}

std::optional<std::string> confirmation_in(const std::string& artifacts) {
  std::string why;
  const auto document = json_document::parse(artifacts, why, {.depth = 64, .values = SIZE_MAX});
  const auto url = document ? document->root().find("confirmation_url") : std::nullopt;
  if (!url || url->kind() != json_value::type::string || url->string().empty())
    return std::nullopt;
  return std::string{url->string()};
}

/// The artifacts of a run after a change, nothing when there is no change, or a refusal when they are too large.
std::variant<std::optional<std::string>, refusal> merged(const std::string& before,
                                                         const std::optional<std::string>& change) {
  if (!change)
    return std::optional<std::string>{};
  auto after = merged_json(before, *change);
  if (after.size() > artifacts_bytes_max)
    return refusal{code::payload_too_large,
                   "The artifacts of a run may have " + std::to_string(artifacts_bytes_max) + " bytes",
                   {}};
  return std::optional{std::move(after)};
}

/// Writes the artifacts into the state and their own row. Done before the event that changes the run, because the run's
/// row holds a part of them.
void put_artifacts(deciding& d, const std::string& run_id, const std::optional<std::string>& artifacts) {
  if (!artifacts)
    return;
  d.update_payload([&](state& s) {
    auto& r = run_of(s, run_id);
    r.payload.artifacts = *artifacts;
    r.payload.confirmation_url = confirmation_in(*artifacts);
  });
  d.extra_rows.push_back(to_row(artifacts_row{run_id, *artifacts}));
}

/// The run alone or with its job, as the claim asked.
answer as_asked(const deciding& d, const claim& c, run r) {
  if (c.with_job)
    return result{claimed_job{shown(d.state(), d.version()), std::move(r)}};
  return result{std::move(r)};
}

/// A report of a run that is not in memory: it failed and another run has replaced it.
answer old_report(deciding& d, const report& c) {
  if (c.lease_token && *c.lease_token != c.known.n)
    return refusal{code::stale_lease, "The lease token of run " + quoted(c.run_id) + " is another one", {}};
  if (!c.known.ended)
    return outdated(d, c.run_id);
  const bool was_slow = *c.known.ended == failure_reason::lock_expired || *c.known.ended == failure_reason::superseded;
  // The holder of the lock must be warned, or the job is applied to twice; if that happened, the journal must say so.
  if (was_slow && c.status == run_status::success && !d.state().late_success && !d.state().gone)
    d.happened(late_success{c.run_id});
  return stale(c.run_id, was_slow ? "was superseded by another one" : "is finished");
}

answer succeed(deciding& d, const report& c, bool late, const std::optional<std::string>& artifacts) {
  put_artifacts(d, c.run_id, artifacts);
  d.update_payload([&](state& s) { run_of(s, c.run_id).payload.error.reset(); });
  d.happened(succeeded{c.run_id, late});
  return result{shown(d.state(), *find(d.state(), c.run_id))};
}

answer go_on(deciding& d, const report& c, const run_record& r, const std::optional<std::string>& artifacts) {
  const auto to = c.status.value_or(r.status);
  if (to == run_status::success)
    return succeed(d, c, false, artifacts);
  put_artifacts(d, c.run_id, artifacts);
  if (to == run_status::failed) {
    d.update_payload([&](state& s) { run_of(s, c.run_id).payload.error = c.error; });
    d.happened(failed{c.run_id, failure_reason::reported});
  } else
    d.happened(renewed{c.run_id, to, d.now + d.state().lock->length});
  return result{shown(d.state(), *find(d.state(), c.run_id))};
}

}  // namespace

answer on(deciding& d, const claim& c) {
  const auto& s = d.state();
  if (const auto* same = find(s, c.run_id))
    return as_asked(d, c, shown(s, *same));
  if (c.known) {
    if (!c.known->is_of(s.board, s.job_id))
      return refusal{code::run_id_taken, "Run " + quoted(c.run_id) + " belongs to another job", {}};
    if (c.earlier)
      return as_asked(d, c, *c.earlier);
    // It was in memory at the time of the look-up and has been replaced since.
    return outdated(d, c.run_id);
  }
  if (s.lock)
    return refusal{code::already_claimed, "Job already has an active application", {}};
  if (s.status != status::discovered)
    return refusal{code::bad_job_status, "Job is " + std::string{name(s.status)} + " and can not be claimed", {}};
  auto artifacts = merged({}, c.artifacts);
  if (auto* no = std::get_if<refusal>(&artifacts))
    return std::move(*no);
  const bool supersedes = s.last && s.last->is_lapsed();
  d.happened(claimed{c.run_id, s.claims + 1, c.variant_id, c.user_id, c.ttl_s, d.now + seconds{c.ttl_s},
                     supersedes ? std::optional{s.last->id} : std::nullopt});
  if (const auto& text = std::get<std::optional<std::string>>(artifacts)) {
    put_artifacts(d, c.run_id, text);
    d.changed.runs.push_back(*s.last);
  }
  auto begun = shown(s, *s.last);
  begun.is_new = true;
  return as_asked(d, c, std::move(begun));
}

answer on(deciding& d, const report& c) {
  const auto& s = d.state();
  const auto* r = find(s, c.run_id);
  if (!r)
    return old_report(d, c);
  if (c.lease_token && *c.lease_token != r->n)
    return refusal{code::stale_lease, "The lease token of run " + quoted(c.run_id) + " is another one", {}};
  const bool adds = r->status == run_status::success && !c.status && c.artifacts;
  const bool is_late = r->is_lapsed() && c.status == run_status::success && !s.gone;
  if (!r->is_active() && !adds && !is_late)
    return stale(c.run_id, r->is_lapsed() ? "lost its lock: only its success can still be told" : "is finished");
  if (r->is_active() && c.status && !may_report(r->status, *c.status))
    return refusal{code::invalid_transition,
                   "A run can not go from " + std::string{name(r->status)} + " to " + std::string{name(*c.status)},
                   {}};
  auto artifacts = merged(r->payload.artifacts, c.artifacts);
  if (auto* no = std::get_if<refusal>(&artifacts))
    return std::move(*no);
  const auto& after = std::get<std::optional<std::string>>(artifacts);
  if (is_late)
    return succeed(d, c, true, after);
  if (r->is_active())
    return go_on(d, c, *r, after);
  put_artifacts(d, c.run_id, after);
  d.happened(annotated{c.run_id});
  return result{shown(s, *find(s, c.run_id))};
}

/// The front looks for a job and sends it a claim: no job decides on a search.
answer on(deciding&, const claim_next&) { throw std::logic_error{"a search reached a job"}; }

}  // namespace callboard::board_job
