#include "actors/board_job/rows.hpp"

#include <algorithm>
#include <unordered_set>

namespace callboard::board_job {
std::string joined_tags(const std::vector<std::string>& tags) {
  std::string out = ",";
  for (const auto& t : tags)
    (out += t) += ',';
  return out;
}

std::vector<std::string> split_tags(std::string_view joined) {
  std::vector<std::string> out;
  for (auto rest = joined.substr(std::min<std::size_t>(1, joined.size())); !rest.empty();) {
    const auto size = std::min(rest.find(','), rest.size());
    out.emplace_back(rest.substr(0, size));
    rest.remove_prefix(std::min(rest.size(), size + 1));
  }
  return out;
}

void put_rows(const state& s, const changes& changed, std::vector<row>& out) {
  if (changed.job)
    out.push_back(
        to_row(job_row{s.board, s.job_id, s.gone, s.what.title, s.what.url, s.what.location, s.what.department,
                       joined_tags(s.what.tags), s.what.content_hash, s.status, s.moved_by, s.discovered_at,
                       s.updated_at, s.seen.journaled, s.applied_at, s.applied_run_id, s.late_success, s.claims}));
  // The last touch of a run is how it is now.
  std::unordered_set<std::string_view> done;
  for (auto it = changed.runs.rbegin(); it != changed.runs.rend(); ++it) {
    if (!done.insert(it->id).second)
      continue;
    const auto* lock = s.lock && s.lock->owner == it->id ? &*s.lock : nullptr;
    out.push_back(to_row(
        run_row{it->id, s.board, s.job_id, it->n, it->variant_id, it->user_id, it->status, it->ended, it->started_at,
                it->completed_at, it->late, lock ? std::optional{std::int64_t{lock->length.count()}} : std::nullopt,
                lock ? std::optional{lock->until} : std::nullopt, it->payload.error, it->payload.confirmation_url}));
  }
}

state from_rows(const job_row& what, std::optional<instant> last_seen) {
  state s;
  s.board = what.board;
  s.job_id = what.job_id;
  s.exists = true;
  s.gone = what.gone;
  s.what = {what.title, what.url, what.location, what.department, split_tags(what.tags), what.content_hash};
  s.status = what.status;
  s.moved_by = what.moved_by;
  s.discovered_at = what.discovered_at;
  s.updated_at = what.updated_at;
  s.seen = {what.told_seen_at, std::max(what.told_seen_at, last_seen.value_or(instant{}))};
  s.applied_at = what.applied_at;
  s.applied_run_id = what.applied_run_id;
  s.late_success = what.late_success;
  s.claims = what.claims;
  return s;
}

void add_row(state& s, const run_row& r, std::string artifacts) {
  run_record one{
      r.run_id, r.n,          r.variant_id,   r.user_id, r.status,
      r.ended,  r.started_at, r.completed_at, r.late,    {r.error, std::move(artifacts), r.confirmation_url}};
  if (r.lease_until)
    s.lock = lease{r.run_id, r.n, milliseconds{r.lease_ms.value()}, *r.lease_until};
  if (r.n == s.claims)
    s.last = std::move(one);
  else
    s.successes.emplace(r.run_id, std::move(one));
}

job shown(job_row&& what, instant last_seen, std::int64_t version) {
  return {std::move(what.board),
          std::move(what.job_id),
          std::move(what.title),
          std::move(what.url),
          std::move(what.location),
          std::move(what.department),
          split_tags(what.tags),
          std::move(what.content_hash),
          what.status,
          what.discovered_at,
          what.updated_at,
          last_seen,
          what.applied_at,
          std::move(what.applied_run_id),
          version};
}

run shown(run_row&& r, std::optional<std::string> artifacts, bool late_success) {
  return {std::move(r.run_id),
          std::move(r.board),
          std::move(r.job_id),
          std::move(r.variant_id),
          std::move(r.user_id),
          r.status,
          r.started_at,
          r.completed_at,
          error_of(r.ended, r.error),
          r.late,
          artifacts ? std::optional{raw_json{std::move(*artifacts)}} : std::nullopt,
          {r.n, r.lease_until},
          late_success};
}

}  // namespace callboard::board_job
