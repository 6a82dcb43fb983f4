#include "actors/queue/rules.hpp"

#include "actors/queue/rows.hpp"

#include <algorithm>
#include <unordered_map>

namespace callboard::queue {
namespace {

using deciding = decision<kind>;
using answer = kind::answer;

constexpr std::int64_t slots_per_look = 20'000;
constexpr std::size_t event_bytes_max = 200 * 1024;
/// Each may touch three rows.
constexpr std::size_t ticked_max = changes_max / 3;

refusal stale(const std::string& id) {
  return {code::stale_lease, "Job " + id + " is not leased under this token", {}};
}

/// The job that this lease is about, or why not.
std::variant<const job*, refusal> leased(const state& s, const std::string& id, std::int64_t token) {
  const auto* j = s.find(id);
  if (!j || !j->held || !j->held->is(token))
    return stale(id);
  return j;
}

void reports(deciding& d, report_row r) { d.extra_rows.push_back(to_row(r)); }

report_row report_of(const deciding& d, const std::string& id) {
  report_row r;
  r.queue = d.state().name;
  r.id = id;
  return r;
}

job_result result_of(const job& j) {
  return {j.id, j.status,           j.attempts, j.status == status::scheduled ? std::optional{j.run_at} : std::nullopt,
          {},   j.cancel_requested, {},         {}};
}

job_result ended(const std::string& id, status how, std::int64_t attempts, instant at) {
  return {id, how, attempts, {}, at, false, {}, {}};
}

job_result failed_one(const std::string& id, const refusal& no) {
  return {id, {}, 0, {}, {}, false, no.what, no.message};
}

// Enqueue

/// What a batch has decided about its jobs so far; nothing is written until all of it is known to be fine.
struct intake {
  const state& s;
  accepted out{};
  std::vector<const new_job*> fresh{};
  std::unordered_map<std::string_view, const new_job*> by_id{};
  std::unordered_map<std::string_view, const new_job*> by_unique_key{};
  std::vector<problem> problems{};

  status first_status(const new_job& n, instant now) const {
    return n.run_at && *n.run_at > now ? status::scheduled : status::pending;
  }

  void known(const new_job& n, std::size_t i, std::int64_t content, status st) {
    if (content != n.content)
      problems.push_back({"jobs[" + std::to_string(i) + "].id", "is " + n.id + ", which is a different job already"});
    out.jobs.push_back({n.id, st, true});
  }

  void add(const new_job& n, std::size_t i, instant now) {
    if (const auto* j = s.find(n.id))
      return known(n, i, j->content, j->status);
    if (n.finished)
      return known(n, i, n.finished->content, n.finished->status);
    if (const auto it = by_id.find(n.id); it != by_id.end())
      return known(n, i, it->second->content, first_status(*it->second, now));
    if (n.unique_key) {
      if (const auto it = s.by_unique_key.find(*n.unique_key); it != s.by_unique_key.end()) {
        const auto& other = s.at(it->second);
        out.jobs.push_back({other.id, other.status, true});
        return;
      }
      if (const auto [it, is_first] = by_unique_key.emplace(*n.unique_key, &n); !is_first) {
        out.jobs.push_back({it->second->id, first_status(*it->second, now), true});
        return;
      }
    }
    by_id.emplace(n.id, &n);
    fresh.push_back(&n);
    out.jobs.push_back({n.id, first_status(n, now), false});
  }
};

void write_new(deciding& d, const std::vector<const new_job*>& fresh) {
  for (std::size_t i = 0; i < fresh.size();) {
    enqueued e;
    for (std::size_t bytes = 0; i < fresh.size() && bytes < event_bytes_max; ++i) {
      const auto& n = *fresh[i];
      const bool later = n.run_at && *n.run_at > d.now;
      e.jobs.push_back(
          {n.id, n.type, n.weight, n.max_attempts, later ? n.run_at : std::nullopt, n.ttl_s, n.unique_key});
      bytes += n.id.size() + n.type.size() + (n.unique_key ? n.unique_key->size() : 0) + 150;
      d.changed.brought.push_back(&n);
      d.extra_rows.push_back(to_row(
          payload_row{d.state().name, n.id, n.data_text.value_or("{}"), n.metadata_text.value_or("{}"), n.priority}));
    }
    d.happened(std::move(e));
  }
}

answer on(deciding& d, const enqueue& c) {
  intake in{d.state()};
  for (std::size_t i = 0; i < c.jobs.size(); ++i)
    in.add(c.jobs[i], i, d.now);
  if (!in.problems.empty())
    return refusal{code::duplicate_job, "A job with this id and other content exists", std::move(in.problems)};
  write_new(d, in.fresh);
  if (!c.is_one)
    return std::move(in.out);
  const auto& told = in.out.jobs.front();
  one_job one{{}, told.deduplicated, false};
  if (const auto* j = d.state().find(told.id))
    one.job = view_of(d.state(), *j);
  else {
    one.is_finished = true;
    one.job.id = told.id;
    one.job.queue = d.state().name;
  }
  return one;
}

// Workers

answer on(deciding& d, const claim& c) {
  const auto picked = pick(d.state(), c.types, c.limit, d.now);
  claimed_jobs out;
  if (picked.empty())
    return out;
  const auto length = milliseconds{c.lease_s * 1'000};
  // The number of the event that tells of it: never given twice.
  claimed e{c.worker, d.version() + 1, length.count(), d.now + length, {}};
  std::vector<bool> is_first;
  for (const auto* j : picked) {
    e.jobs.push_back(j->id);
    is_first.push_back(!j->claimed_at && j->redrives == 0);
  }
  d.happened(std::move(e));
  for (std::size_t i = 0; i < picked.size(); ++i) {
    out.jobs.push_back(view_of(d.state(), *picked[i]));
    out.jobs.back().is_first_claim = is_first[i];
    if (is_first[i])
      out.jobs.back().progress.text = "0";  // stays so in the record of a keyed claim
  }
  return out;
}

answer on(deciding& d, const heartbeat& c) {
  const auto found = leased(d.state(), c.id, c.token);
  if (const auto* no = std::get_if<refusal>(&found))
    return *no;
  const auto& j = *std::get<const job*>(found);
  auto r = report_of(d, c.id);
  r.progress = c.progress;
  r.message = c.message;
  r.checkpoint = c.checkpoint;
  if (c.progress || c.message || c.checkpoint)
    reports(d, std::move(r));
  auto renewal = *j.held;
  renewal.renew(d.now);
  d.happened(renewed{c.id, renewal.until});
  return beat{c.id, renewal.until, j.cancel_requested};
}

answer on(deciding& d, const complete& c) {
  job_results out;
  completed e;
  std::set<std::string_view> once;
  for (const auto& w : c.jobs) {
    auto found = leased(d.state(), w.id, w.token);
    const auto* j = std::get_if<const job*>(&found);
    if (j && (*j)->cancel_requested)
      found = refusal{code::cancelled, "Job " + w.id + " was cancelled", {}};
    else if (j && !once.insert((*j)->id).second)
      found = stale(w.id);
    if (auto* no = std::get_if<refusal>(&found)) {
      if (c.is_one)
        return std::move(*no);
      out.jobs.push_back(failed_one(w.id, *no));
      continue;
    }
    if (w.results) {
      auto r = report_of(d, w.id);
      r.results = w.results;
      reports(d, std::move(r));
    }
    out.jobs.push_back(ended(w.id, status::complete, std::get<const job*>(found)->attempts, d.now));
    e.jobs.push_back(w.id);
  }
  if (!e.jobs.empty())
    d.happened(std::move(e));
  if (c.is_one)
    return std::move(out.jobs.front());
  return out;
}

std::int64_t base_ms(const fail& c, const std::string& type) {
  static const backoff_bases usual;
  const auto& bases = c.bases ? *c.bases : usual;
  const auto it = bases.by_type_ms.find(type);
  return it == bases.by_type_ms.end() ? bases.usual_ms : it->second;
}

answer on(deciding& d, const fail& c) {
  const auto found = leased(d.state(), c.id, c.token);
  if (const auto* no = std::get_if<refusal>(&found))
    return *no;
  const auto& j = *std::get<const job*>(found);
  auto r = report_of(d, c.id);
  r.error = c.error;
  r.error_code = c.error_code.value_or("");
  reports(d, std::move(r));
  const auto attempts = j.attempts + 1;
  if (j.cancel_requested) {
    d.happened(cancelled{{c.id}});
    return ended(c.id, status::cancelled, j.attempts, d.now);
  }
  if (c.permanent || attempts >= j.max_attempts) {
    d.happened(died{{{c.id, attempts, fingerprint(j.type->name, c.error_code, c.error), c.error_code}}});
    return ended(c.id, status::failed, attempts, d.now);
  }
  const auto pause = c.retry_after_s ? milliseconds{*c.retry_after_s * 1'000}
                                     : backoff(base_ms(c, j.type->name), j.attempts, c.jitter);
  d.happened(retried{c.id, attempts, d.now + pause});
  return result_of(*d.state().find(c.id));
}

answer on(deciding& d, const release& c) {
  job_results out;
  queue::ids back, gone;
  std::set<std::string_view> once;
  for (const auto& w : c.jobs) {
    auto found = leased(d.state(), w.id, w.token);
    if (std::holds_alternative<const job*>(found) && !once.insert(w.id).second)
      found = stale(w.id);
    if (auto* no = std::get_if<refusal>(&found)) {
      if (c.is_one)
        return std::move(*no);
      out.jobs.push_back(failed_one(w.id, *no));
      continue;
    }
    const auto& j = *std::get<const job*>(found);
    if (j.cancel_requested)
      out.jobs.push_back(ended(w.id, status::cancelled, j.attempts, d.now));
    else
      out.jobs.push_back({w.id, status::pending, j.attempts, {}, {}, false, {}, {}});
    (j.cancel_requested ? gone : back).push_back(w.id);
  }
  if (!back.empty())
    d.happened(released{std::move(back)});
  if (!gone.empty())
    d.happened(cancelled{std::move(gone)});
  if (c.is_one)
    return std::move(out.jobs.front());
  return out;
}

// Those who watch over the queue

void explain_cancel(deciding& d, const std::string& id, const std::optional<std::string>& reason) {
  if (!reason)
    return;
  auto r = report_of(d, id);
  r.reason = reason;
  reports(d, std::move(r));
}

answer on(deciding& d, const cancel& c) {
  const auto* j = d.state().find(c.id);
  if (!j)
    return refusal{code::not_found, "Job " + c.id + " not found", {}};
  if (j->status == status::failed)
    return refusal{code::conflict, "Job " + c.id + " has failed already", {}};
  const auto attempts = j->attempts;
  explain_cancel(d, c.id, c.reason);
  if (j->status == status::processing) {
    if (!j->cancel_requested)
      d.happened(cancel_requested{{c.id}});
    return result_of(*d.state().find(c.id));
  }
  d.happened(cancelled{{c.id}});
  return ended(c.id, status::cancelled, attempts, d.now);
}

answer on(deciding& d, const cancel_matching& c) {
  const auto& s = d.state();
  queue::ids gone, flagged;
  const auto total = static_cast<std::int64_t>(s.slots->size());
  auto i = c.after;
  const auto end = std::min(total, c.after + slots_per_look);
  for (; i < end && gone.size() + flagged.size() < ticked_max; ++i) {
    const auto& j = s.at(static_cast<std::int32_t>(i));
    if (!j.type || j.status == status::failed || j.cancel_requested || (c.type && j.type->name != *c.type) ||
        (c.status && j.status != *c.status))
      continue;
    explain_cancel(d, j.id, c.reason);
    (j.status == status::processing ? flagged : gone).push_back(j.id);
  }
  swept out{static_cast<std::int64_t>(gone.size()), static_cast<std::int64_t>(flagged.size()),
            i < total ? std::optional{i} : std::nullopt};
  if (!gone.empty())
    d.happened(cancelled{std::move(gone)});
  if (!flagged.empty())
    d.happened(cancel_requested{std::move(flagged)});
  return out;
}

bool is_wanted(const redrive& c, const std::string& print, const dead_set& g) {
  return (!c.type || g.type == *c.type) && (!c.error_code || g.error_code == c.error_code) &&
         (!c.fingerprint || print == *c.fingerprint);
}

/// Dead jobs that the wish means, as many as one decision takes. A job whose unique key is somebody else's by now stays
/// dead: its work is under way.
class chosen {
public:
  chosen(const state& s, const redrive& c, instant began) : state_{s}, wanted_{c}, began_{began} {
    if (c.ids) {
      for (const auto& id : *c.ids)
        if (const auto* j = s.find(id); j && j->status == status::failed)
          consider(*j, j->cold->fingerprint, s.dead_groups.at(j->cold->fingerprint));
      return;
    }
    for (const auto& [print, g] : s.dead_groups)
      for (const auto& [at, slot] : g.jobs)
        if (!is_wanted(c, print, g) || !consider(s.at(slot), print, g))
          break;
  }
  std::vector<const job*> jobs;

private:
  /// False when no more are wanted.
  bool consider(const job& j, const std::string& print, const dead_set& g) {
    if (jobs.size() == changes_max)
      return false;
    const auto& key = j.unique_key();
    const bool fits = j.updated_at <= began_ && is_wanted(wanted_, print, g) &&
                      !(key && (state_.by_unique_key.contains(*key) || keys_.contains(*key)));
    if (fits && once_.insert(j.slot).second) {
      jobs.push_back(&j);
      if (key)
        keys_.insert(*key);
    }
    return true;
  }

  const state& state_;
  const redrive& wanted_;
  instant began_;
  std::set<std::int32_t> once_;
  std::set<std::string_view> keys_;
};

answer on(deciding& d, const redrive& c) {
  const auto began = c.began.value_or(d.now);
  const auto found = chosen{d.state(), c, began}.jobs;
  redriven e;
  for (const auto* j : found) {
    const auto nth = c.before + static_cast<std::int64_t>(e.jobs.size());
    const auto then = c.rate_per_s ? began + milliseconds{nth * 1'000 / *c.rate_per_s} : d.now;
    e.jobs.push_back({j->id, then > d.now ? std::optional{then} : std::nullopt});
  }
  const auto count = static_cast<std::int64_t>(e.jobs.size());
  if (count > 0)
    d.happened(std::move(e));
  return swept{count, 0,
               count == static_cast<std::int64_t>(changes_max) ? std::optional{c.before + count} : std::nullopt};
}

settings_view settings_of(const state& s) {
  return {s.name, s.paused, s.max_in_flight, s.rate_per_s, s.aging_s, s.per_key};
}

answer on(deciding& d, const configure& c) {
  const auto& s = d.state();
  const configured after{c.paused.value_or(s.paused), c.max_in_flight.value_or(s.max_in_flight),
                         c.rate_per_s.value_or(s.rate_per_s), c.aging_s.value_or(s.aging_s),
                         c.per_key.value_or(s.per_key)};
  const bool same = s.exists && after.paused == s.paused && after.max_in_flight == s.max_in_flight &&
                    after.rate_per_s == s.rate_per_s && after.aging_s == s.aging_s && after.per_key == s.per_key;
  if (!same)
    d.happened(after);
  return settings_of(d.state());
}

answer on(deciding&, const store_response& c) {
  return std::visit([](const auto& total) -> answer { return total; }, c.response);
}

/// What people and workers wrote goes with the job.
void erase_words(deciding& d, const std::string& id) {
  d.extra_rows.push_back(erasure(payload_row{d.state().name, id, {}, {}, {}}));
  d.extra_rows.push_back(erasure(report_of(d, id)));
}

answer on(deciding& d, const purge& c) {
  purged e;
  for (const auto& id : c.ids)
    if (!d.state().find(id)) {
      erase_words(d, id);
      e.jobs.push_back(id);
    }
  if (!e.jobs.empty())
    d.happened(std::move(e));
  return nothing{};
}

// Time

/// Takes from the front what is due.
template <class Visit>
void each_due(const timed_slots& set, instant now, std::size_t& left, const state& s, Visit&& visit) {
  for (const auto& [at, slot] : set) {
    if (at > now || left == 0)
      return;
    left -= 1;
    visit(s.at(slot));
  }
}

void lose_leases(deciding& d, std::size_t& left) {
  lapsed back;
  died dead;
  cancelled gone;
  each_due(d.state().leases, d.now, left, d.state(), [&](const job& j) {
    static const std::string error = "lease lost";
    static const std::string error_code = "lease_lost";
    if (j.cancel_requested)
      return gone.jobs.push_back(j.id);
    auto r = report_of(d, j.id);
    r.error = error;
    r.error_code = error_code;
    reports(d, std::move(r));
    if (j.attempts + 1 < j.max_attempts)
      return back.jobs.push_back(j.id);
    dead.jobs.push_back({j.id, j.attempts + 1, fingerprint(j.type->name, error_code, error), error_code});
  });
  if (!back.jobs.empty())
    d.happened(std::move(back));
  if (!dead.jobs.empty())
    d.happened(std::move(dead));
  if (!gone.jobs.empty())
    d.happened(std::move(gone));
}

void give_up_waiting(deciding& d, std::size_t& left) {
  expired e;
  each_due(d.state().ttls, d.now, left, d.state(), [&](const job& j) {
    auto r = report_of(d, j.id);
    r.error = "waited longer than its ttl_s";
    r.error_code = "ttl_expired";
    reports(d, std::move(r));
    e.jobs.push_back(j.id);
  });
  if (!e.jobs.empty())
    d.happened(std::move(e));
}

answer on(deciding& d, const tick&) {
  auto left = ticked_max;
  lose_leases(d, left);
  give_up_waiting(d, left);
  matured due;
  each_due(d.state().scheduled, d.now, left, d.state(), [&](const job& j) { due.jobs.push_back(j.id); });
  if (!due.jobs.empty())
    d.happened(std::move(due));
  purged old;
  each_due(d.state().dead, d.now - dead_kept, left, d.state(), [&](const job& j) {
    erase_words(d, j.id);
    old.jobs.push_back(j.id);
  });
  if (!old.jobs.empty())
    d.happened(std::move(old));
  return nothing{};
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

}  // namespace

state kind::initial(const std::string& key) {
  state s;
  s.name = key;
  return s;
}

answer kind::decide(decision<kind>& d, const command& c) {
  return std::visit([&](const auto& one) -> answer { return on(d, one); }, c);
}

std::optional<instant> kind::deadline(const state& s) {
  std::optional<instant> due;
  const auto sooner = [&](const timed_slots& set, milliseconds later) {
    if (!set.empty() && (!due || set.begin()->first + later < *due))
      due = set.begin()->first + later;
  };
  sooner(s.leases, {});
  sooner(s.scheduled, {});
  sooner(s.ttls, {});
  sooner(s.dead, dead_kept);
  return due;
}

void kind::rows(const state&, const changes& changed, std::int64_t, std::vector<row>& out) {
  out.insert(out.end(), changed.rows.begin(), changed.rows.end());
}

std::size_t kind::weight(const state& s) { return 2'048 + s.slots->size() * 280; }

milliseconds kind::wait_limit(const command& c) {
  const auto* request = std::get_if<claim>(&c);
  return milliseconds{request ? request->wait_s * 1'000 : 0};
}

bool kind::can_answer(const state& s, const command& c, instant now) {
  const auto* request = std::get_if<claim>(&c);
  if (!request)
    return true;
  if (room(s, now) == 0)
    return false;
  if (!request->types)
    return !s.heads.empty();
  return std::any_of(request->types->begin(), request->types->end(), [&](const std::string& name) {
    const auto it = s.types.find(name);
    return it != s.types.end() && !it->second->ready.empty();
  });
}

bool kind::can_answer_any(const state& s, instant now) { return !s.heads.empty() && room(s, now) > 0; }

std::optional<instant> kind::next_possible_at(const state& s, instant now) {
  if (!s.rate_per_s || s.heads.empty() || s.paused || room(s, now) > 0)
    return std::nullopt;
  for (const auto& [at, n] : s.recent_claims)
    if (at > now - seconds{1})
      return at + seconds{1};
  return std::nullopt;
}

std::string token_text(std::string_view queue, std::int64_t token) {
  return std::string{queue} + ':' + std::to_string(token);
}

}  // namespace callboard::queue
