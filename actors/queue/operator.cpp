#include "actors/queue/decide.hpp"
#include "actors/queue/rows.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callboard::queue {
namespace {

/// Cancelling all that match looks at so many slots per decision, so that claims do not wait for it.
constexpr std::int64_t slots_per_decision = 20'000;

void write_reason(deciding& d, const std::string& id, const std::optional<std::string>& reason) {
  if (!reason)
    return;
  auto r = report_of(d, id);
  r.reason = reason;
  write_report(d, r);
}

bool is_wanted(const redrive& c, const std::string& fingerprint, const dead_set& g) {
  return (!c.type || g.type == *c.type) && (!c.error_code || g.error_code == c.error_code) &&
         (!c.fingerprint || fingerprint == *c.fingerprint);
}

/// The dead jobs that a redrive means, as many as one decision takes. A job whose unique key another job has taken
/// since stays dead: its work is already under way.
class chosen {
public:
  chosen(const state& s, const redrive& c, instant began) : state_{s}, wanted_{c}, began_{began} {
    if (c.ids) {
      for (const auto& id : *c.ids)
        if (const auto* j = s.find(id); j && j->status == status::failed)
          consider(*j, j->cold->fingerprint, s.dead_groups.at(j->cold->fingerprint));
      return;
    }
    for (const auto& [fingerprint, g] : s.dead_groups)
      for (const auto& [at, slot] : g.jobs)
        if (!is_wanted(c, fingerprint, g) || !consider(s.at(slot), fingerprint, g))
          break;
  }
  std::vector<const job*> jobs;

private:
  /// False when no more are wanted.
  bool consider(const job& j, const std::string& fingerprint, const dead_set& g) {
    if (jobs.size() == changes_max)
      return false;
    const auto& key = j.unique_key();
    const bool fits = j.updated_at <= began_ && is_wanted(wanted_, fingerprint, g) &&
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

}  // namespace

answer on(deciding& d, const cancel& c) {
  const auto* j = d.state().find(c.id);
  if (!j)
    return refusal{code::not_found, "Job " + c.id + " not found", {}};
  if (j->status == status::failed)
    return refusal{code::conflict, "Job " + c.id + " has failed already", {}};
  const auto attempts = j->attempts;
  write_reason(d, c.id, c.reason);
  if (j->status == status::processing) {
    if (!j->cancel_requested)
      d.happened(cancel_requested{{c.id}});
    return result_of(*d.state().find(c.id));
  }
  d.happened(cancelled{{c.id}});
  return ended(d, c.id, status::cancelled, attempts);
}

answer on(deciding& d, const cancel_matching& c) {
  const auto& s = d.state();
  queue::ids gone, flagged;
  const auto total = static_cast<std::int64_t>(s.slots->size());
  auto i = c.after;
  const auto end = std::min(total, c.after + slots_per_decision);
  for (; i < end && gone.size() + flagged.size() < jobs_per_decision_max; ++i) {
    const auto& j = s.at(static_cast<std::int32_t>(i));
    if (!j.type || j.status == status::failed || j.cancel_requested || (c.type && j.type->name != *c.type) ||
        (c.status && j.status != *c.status))
      continue;
    write_reason(d, j.id, c.reason);
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

}  // namespace callboard::queue
