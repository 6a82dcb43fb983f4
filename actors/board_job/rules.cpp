#include "actors/board_job/rules.hpp"

#include "actors/board_job/decide.hpp"
#include "actors/board_job/rows.hpp"

namespace callboard::board_job {
namespace {

refusal no_job(const state& s) {
  return {code::not_found, "Job " + quoted(s.job_id) + " of board " + quoted(s.board) + " not found", {}};
}

void note_sighting(deciding& d) {
  d.update_payload([&](state& s) { s.seen.latest = d.now; });
  d.extra_rows.push_back(to_row(sighting_row{d.state().board, d.state().job_id, d.now}));
}

answer on(deciding& d, const ingest& c) {
  const auto& s = d.state();
  auto is = novelty::unchanged;
  if (!s.exists || s.gone) {
    is = novelty::fresh;
    d.happened(discovered{c.what});
  } else {
    // A job that expired unseen is open again; one that a person expired stays expired.
    if (s.status == status::expired && s.moved_by != cause::manual) {
      is = novelty::updated;
      d.happened(status_changed{s.status, status::discovered, cause::seen});
    }
    if (s.what.content_hash != c.what.content_hash) {
      is = novelty::updated;
      d.happened(updated{c.what});
    } else if (d.now - s.seen.journaled > seen_journaled_every)
      d.happened(board_job::seen{});
  }
  note_sighting(d);
  return ingested{is, shown(s, d.version())};
}

answer on(deciding& d, const set_status& c) {
  const auto& s = d.state();
  if (c.status == status::queued || c.status == status::applied)
    return refusal{code::invalid_transition, "The status can be set to expired, rejected or discovered", {}};
  if (c.status == s.status) {
    // A person confirms an expiry that happened by itself: from now on a sighting does not undo it.
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
    return s.seen.journaled + unseen_max;
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

std::optional<principal> kind::actor_of(const command& c) {
  const auto* wanted = std::get_if<claim>(&c);
  return wanted && wanted->user_id ? std::optional{principal{"user", *wanted->user_id, {}}} : std::nullopt;
}

}  // namespace callboard::board_job
