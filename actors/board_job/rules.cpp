#include "actors/board_job/rules.hpp"

#include "actors/board_job/rows.hpp"
#include "base/json_merge.hpp"

#include <algorithm>

namespace callboard::board_job {
namespace {

using deciding = decision<kind>;
using answer = kind::answer;

std::string quoted(std::string_view name) { return '\'' + std::string{name} + '\''; }

refusal no_job(const state& s) {
  return {code::not_found, "Job " + quoted(s.job_id) + " of board " + quoted(s.board) + " not found", {}};
}

refusal stale(const std::string& run_id, const std::string& why) {
  return {code::stale_run, "Run " + quoted(run_id) + ' ' + why, {}};
}

/// A run that is in memory: the last one, or one that succeeded.
const run_record* find(const state& s, const std::string& run_id) {
  if (s.last && s.last->id == run_id)
    return &*s.last;
  const auto it = s.successes.find(run_id);
  return it == s.successes.end() ? nullptr : &it->second;
}

run_record& of(state& s, const std::string& run_id) {
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

/// The artifacts of a run after a change; a refusal when they are too large. Nothing: no change.
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

/// Keeps them with the run and carries their row. Before the event that touches the run, whose row shows a part of
/// them.
void put_artifacts(deciding& d, const std::string& run_id, const std::optional<std::string>& artifacts) {
  if (!artifacts)
    return;
  d.update_payload([&](state& s) {
    auto& r = of(s, run_id);
    r.payload.artifacts = *artifacts;
    r.payload.confirmation_url = confirmation_in(*artifacts);
  });
  d.extra_rows.push_back(to_row(artifacts_row{run_id, *artifacts}));
}

void see(deciding& d) {
  d.update_payload([&](state& s) { s.seen.latest = d.now; });
  d.extra_rows.push_back(to_row(sighting_row{d.state().board, d.state().job_id, d.now}));
}

// One overload per command: a command without its `on` does not compile.

answer on(deciding& d, const ingest& c) {
  const auto& s = d.state();
  auto is = novelty::unchanged;
  if (!s.exists || s.gone) {
    is = novelty::fresh;
    d.happened(discovered{c.what});
  } else {
    // Who went because nobody saw it is back; who was sent away by a person stays away.
    if (s.status == status::expired && s.moved_by != cause::manual) {
      is = novelty::updated;
      d.happened(status_changed{s.status, status::discovered, cause::seen});
    }
    if (s.what.content_hash != c.what.content_hash) {
      is = novelty::updated;
      d.happened(updated{c.what});
    } else if (d.now - s.seen.told > seen_told_every)
      d.happened(board_job::seen{});
  }
  see(d);
  return ingested{is, shown(s, d.version())};
}

/// The run in the form that its claim asked for.
answer told(const deciding& d, const claim& c, run r) {
  if (c.with_job)
    return result{claimed_job{shown(d.state(), d.version()), std::move(r)}};
  return result{std::move(r)};
}

answer on(deciding& d, const claim& c) {
  const auto& s = d.state();
  if (const auto* same = find(s, c.run_id))
    return told(d, c, shown(s, *same));
  if (c.known) {
    if (!c.known->is_of(s.board, s.job_id))
      return refusal{code::run_id_taken, "Run " + quoted(c.run_id) + " belongs to another job", {}};
    if (c.earlier)
      return told(d, c, *c.earlier);
    // It was in memory when it was looked up and is not any more.
    return refusal{code::in_progress, "Run " + quoted(c.run_id) + " changed meanwhile; ask again", {}};
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
  return told(d, c, std::move(begun));
}

/// What becomes of a report of a run that is only a row: it failed and another one has come since.
answer old_report(deciding& d, const report& c) {
  if (c.lease_token && *c.lease_token != c.known.n)
    return refusal{code::stale_lease, "The lease token of run " + quoted(c.run_id) + " is another one", {}};
  if (!c.known.ended)
    return refusal{code::in_progress, "Run " + quoted(c.run_id) + " changed meanwhile; ask again", {}};
  const bool was_slow = *c.known.ended == failure_reason::lock_expired || *c.known.ended == failure_reason::superseded;
  // The holder must hear of it, or the job would be applied to twice; when it was, the journal must say so.
  if (was_slow && c.status == run_status::success && !d.state().late_success && !d.state().gone)
    d.happened(late_success{c.run_id});
  return stale(c.run_id, was_slow ? "was superseded by another one" : "is finished");
}

answer succeed(deciding& d, const report& c, bool late, const std::optional<std::string>& artifacts) {
  put_artifacts(d, c.run_id, artifacts);
  d.update_payload([&](state& s) { of(s, c.run_id).payload.error.reset(); });
  d.happened(succeeded{c.run_id, late});
  return result{shown(d.state(), *find(d.state(), c.run_id))};
}

answer go_on(deciding& d, const report& c, const run_record& r, const std::optional<std::string>& artifacts) {
  const auto to = c.status.value_or(r.status);
  if (to == run_status::success)
    return succeed(d, c, false, artifacts);
  put_artifacts(d, c.run_id, artifacts);
  if (to == run_status::failed) {
    d.update_payload([&](state& s) { of(s, c.run_id).payload.error = c.error; });
    d.happened(failed{c.run_id, failure_reason::reported});
  } else
    d.happened(renewed{c.run_id, to, d.now + d.state().lock->length});
  return result{shown(d.state(), *find(d.state(), c.run_id))};
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

answer on(deciding& d, const set_status& c) {
  const auto& s = d.state();
  if (c.status == status::queued || c.status == status::applied)
    return refusal{code::invalid_transition, "The status can be set to expired, rejected or discovered", {}};
  if (c.status == s.status) {
    // What went by itself goes for good when a person says so.
    if (s.status == status::expired && s.moved_by != cause::manual)
      d.happened(status_changed{s.status, c.status, cause::manual});
    return result{shown(s, d.version())};
  }
  if (s.status == status::applied && !c.force)
    return refusal{code::conflict, "Job is applied; only \"force\": true takes that back", {}};
  if (s.lock && c.status == status::discovered)
    return refusal{code::invalid_transition, "Job is queued: its run decides whether it returns", {}};
  const auto from = s.status;
  if (s.lock)
    d.happened(failed{s.lock->owner,
                      c.status == status::expired ? failure_reason::job_expired : failure_reason::job_rejected});
  d.happened(status_changed{from, c.status, cause::manual});
  return result{shown(s, d.version())};
}

answer on(deciding& d, const expire_unseen& c) {
  const auto& s = d.state();
  const bool unseen = s.status == status::discovered && s.seen.latest < c.since;
  if (unseen)
    d.happened(status_changed{s.status, status::expired, cause::crawl});
  return result{removed{unseen}};
}

answer on(deciding& d, const erase&) {
  const auto& s = d.state();
  if (s.lock)
    return refusal{code::conflict, "Job is claimed by run " + quoted(s.lock->owner), {}};
  d.happened(deleted{});
  return result{shown(s, d.version())};
}

answer on(deciding& d, const tick&) {
  const auto& s = d.state();
  if (s.lock && !s.lock->holds(d.now))
    d.happened(failed{s.lock->owner, failure_reason::lock_expired});
  if (const auto due = kind::deadline(s); due && !s.lock && *due <= d.now)
    d.happened(status_changed{s.status, status::expired, cause::cleanup});
  return result{nothing{}};
}

template <class Command>
constexpr bool needs_a_job =
    !std::is_same_v<Command, ingest> && !std::is_same_v<Command, report> && !std::is_same_v<Command, tick>;

}  // namespace

job shown(const state& s, std::int64_t version) {
  return {s.board,           s.job_id,      s.what.title,        s.what.url,       s.what.location,
          s.what.department, s.what.tags,   s.what.content_hash, s.status,         s.discovered_at,
          s.updated_at,      s.seen.latest, s.applied_at,        s.applied_run_id, version};
}

run shown(const state& s, const run_record& r) {
  const bool holds = s.lock && s.lock->owner == r.id;
  return {r.id,
          s.board,
          s.job_id,
          r.variant_id,
          r.user_id,
          r.status,
          r.started_at,
          r.completed_at,
          error_of(r.ended, r.payload.error),
          r.late,
          r.payload.artifacts.empty() ? std::nullopt : std::optional{raw_json{r.payload.artifacts}},
          {r.n, holds ? std::optional{s.lock->until} : std::nullopt},
          holds && s.late_success};
}

state kind::initial(const std::string& key) {
  state s;
  std::tie(s.board, s.job_id) = parts_of(key);
  return s;
}

answer kind::decide(decision<kind>& d, const command& c) {
  return std::visit(
      [&]<class Command>(const Command& one) -> answer {
        if constexpr (needs_a_job<Command>)
          if (!d.state().exists || d.state().gone)
            return no_job(d.state());
        return on(d, one);
      },
      c);
}

std::optional<instant> kind::deadline(const state& s) {
  if (s.lock)
    return s.lock->until;
  if (s.exists && !s.gone && s.status == status::discovered)
    return s.seen.told + unseen_max;
  return std::nullopt;
}

std::optional<std::string> kind::subject(const event& e) {
  return std::visit(
      [](const auto& one) -> std::optional<std::string> {
        if constexpr (requires { one.run_id; })
          return one.run_id;
        else
          return std::nullopt;
      },
      e);
}

void kind::rows(const state& s, const changes& changed, std::int64_t, std::vector<row>& out) {
  put_rows(s, changed, out);
}

std::size_t kind::weight(const state& s) {
  std::size_t bytes = 1'500 + s.what.url.size() + s.what.title.size() + s.successes.size() * 400;
  for (const auto& [id, r] : s.successes)
    bytes += r.payload.artifacts.size();
  return bytes + (s.last ? s.last->payload.artifacts.size() : 0);
}

}  // namespace callboard::board_job
