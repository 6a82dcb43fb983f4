#include "actors/queue/decide.hpp"

#include <algorithm>

namespace callboard::queue {
namespace {

std::int64_t age_s(instant since, instant now) {
  return std::max<std::int64_t>(std::chrono::floor<seconds>(now - since).count(), 0);
}

std::optional<instant> oldest(const job_type& t) {
  std::optional<instant> out;
  for (const auto& [name, l] : t.lines)
    if (!l->jobs.empty() && (!out || l->head()->run_at < *out))
      out = l->head()->run_at;
  return out;
}

/// How many jobs would be claimed before this one if all types were asked for and no key had a limit.
std::int64_t before(const state& s, const job& j) {
  std::int64_t n = 0;
  for (const auto& [name, t] : s.types)
    for (const auto& [key, l] : t->lines) {
      if (l->jobs.empty())
        continue;
      if (l.get() == j.in) {
        n += static_cast<std::int64_t>(l->jobs.order_of_key(&j));
        continue;
      }
      // The first of that line which does not come before: lines are sorted alike, so halving finds it.
      std::size_t low = 0, high = l->jobs.size();
      while (low < high) {
        const auto middle = (low + high) / 2;
        if (precedes(*l, *l->jobs.find_by_order(middle), *j.in, &j))
          low = middle + 1;
        else
          high = middle;
      }
      n += static_cast<std::int64_t>(low);
    }
  return n;
}

explanation explain_with(const state& s, const job& j, std::string reason, std::string message) {
  return {j.id, s.name, j.status, std::move(reason), std::move(message), {}, {}, {}, {}};
}

explanation explain_pending(const state& s, const job& j, instant now) {
  if (s.paused)
    return explain_with(s, j, "paused", "The queue is paused");
  if (s.max_in_flight && s.in_flight() >= *s.max_in_flight)
    return explain_with(s, j, "limit",
                        "The queue's " + std::to_string(*s.max_in_flight) + " places in flight are taken");
  if (j.in->key && s.per_key && j.in->key->in_flight >= s.per_key->max_in_flight)
    return explain_with(s, j, "key_limit", "Jobs with the same " + s.per_key->key + " hold all places of their key");
  if (room(s, now) == 0) {
    auto e = explain_with(s, j, "rate",
                          "The queue gives out " + std::to_string(s.rate_per_s.value_or(0)) + " jobs a second");
    e.until = kind::next_possible_at(s, now);
    return e;
  }
  const auto n = before(s, j);
  auto e = n > 0 ? explain_with(s, j, "behind", std::to_string(n) + " jobs of this queue come first")
                 : explain_with(s, j, "ready", "It is the next one; no worker has asked for it yet");
  e.behind = n;
  return e;
}

explanation explain_job(const state& s, const job& j, instant now) {
  switch (j.status) {
  case status::pending:
    return explain_pending(s, j, now);
  case status::scheduled: {
    auto e = explain_with(s, j, "scheduled",
                          j.attempts > 0 ? "It failed and is tried again then" : "It is not due before then");
    e.until = j.run_at;
    return e;
  }
  case status::processing: {
    auto e =
        explain_with(s, j, "leased",
                     j.cancel_requested ? "A worker holds it and is told that it was cancelled" : "A worker holds it");
    e.worker = j.held->owner;
    e.lease_expires_at = j.held->until;
    return e;
  }
  default:
    return explain_with(s, j, "dead", "It failed for good and waits for somebody to redrive it");
  }
}

dead_groups groups_of(const state& s, const show_dead& c) {
  dead_groups out;
  for (auto it = s.dead_groups.upper_bound(c.after); it != s.dead_groups.end(); ++it) {
    if (static_cast<std::int64_t>(out.groups.size()) == c.limit) {
      out.has_more = true;
      break;
    }
    const auto& [fingerprint, g] = *it;
    out.groups.push_back({fingerprint,
                          s.name,
                          g.type,
                          g.error_code,
                          {},
                          static_cast<std::int64_t>(g.jobs.size()),
                          g.jobs.begin()->first,
                          g.jobs.rbegin()->first,
                          s.at(g.jobs.rbegin()->second).id});
  }
  return out;
}

}  // namespace

job_view view_of(const state& s, const job& j) {
  job_view v;
  v.id = j.id;
  v.queue = s.name;
  v.type = j.type->name;
  v.weight = j.weight;
  v.status = j.status;
  v.attempts = j.attempts;
  v.max_attempts = j.max_attempts;
  v.run_at = j.run_at;
  v.created_at = j.created_at;
  v.updated_at = j.updated_at;
  v.claimed_at = j.claimed_at;
  if (j.status == status::failed)
    v.completed_at = j.updated_at;
  if (j.held) {
    v.worker = j.held->owner;
    v.lease_token = token_text(s.name, j.held->token);
    v.lease_expires_at = j.held->until;
  }
  v.ttl_s = j.ttl_s();
  v.unique_key = j.unique_key();
  v.redrives = j.redrives;
  v.cancel_requested = j.cancel_requested;
  return v;
}

stats stats_of(const state& s, instant now) {
  stats out;
  out.queue = s.name;
  out.paused = s.paused;
  for (const auto& [name, t] : s.types) {
    const auto since = oldest(*t);
    type_stats one{name,
                   t->pending,
                   t->scheduled,
                   t->processing,
                   t->dead,
                   since ? std::optional{age_s(*since, now)} : std::nullopt,
                   t->enqueued.per_second(now),
                   t->claimed.per_second(now),
                   t->completed.per_second(now),
                   t->failed.per_second(now)};
    out.depth += one.depth;
    out.scheduled += one.scheduled;
    out.in_flight += one.in_flight;
    out.dead += one.dead;
    if (one.oldest_age_s)
      out.oldest_age_s = std::max(out.oldest_age_s.value_or(0), *one.oldest_age_s);
    out.types.push_back(std::move(one));
  }
  return out;
}

answer on(deciding& d, const show_settings&) { return settings_of(d.state()); }
answer on(deciding& d, const show_stats&) { return stats_of(d.state(), d.now); }
answer on(deciding& d, const show_dead& c) { return groups_of(d.state(), c); }
answer on(deciding& d, const explain& c) {
  const auto* j = d.state().find(c.id);
  if (!j)
    return refusal{code::not_found, "Job " + c.id + " not found", {}};
  return explain_job(d.state(), *j, d.now);
}

}  // namespace callboard::queue
