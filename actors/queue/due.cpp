#include "actors/queue/decide.hpp"
#include "actors/queue/rows.hpp"

#include <string>
#include <utility>

namespace callboard::queue {
namespace {

/// Payload is erased together with its job.
void erase_payload(deciding& d, const std::string& id) {
  d.extra_rows.push_back(erasure(payload_row{d.state().name, id, {}, {}, {}}));
  d.extra_rows.push_back(erasure(report_of(d, id)));
}

/// Visits the jobs of a set whose time has come, at most `left` of them.
template <class Visit>
void each_due(const timed_slots& set, instant now, std::size_t& left, const state& s, Visit&& visit) {
  for (const auto& [at, slot] : set) {
    if (at > now || left == 0)
      return;
    left -= 1;
    visit(s.at(slot));
  }
}

void end_leases(deciding& d, std::size_t& left) {
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
    write_report(d, r);
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

void expire_pending(deciding& d, std::size_t& left) {
  expired e;
  each_due(d.state().ttls, d.now, left, d.state(), [&](const job& j) {
    auto r = report_of(d, j.id);
    r.error = "waited longer than its ttl_s";
    r.error_code = "ttl_expired";
    write_report(d, r);
    e.jobs.push_back(j.id);
  });
  if (!e.jobs.empty())
    d.happened(std::move(e));
}

}  // namespace

answer on(deciding& d, const purge& c) {
  purged e;
  for (const auto& id : c.ids)
    if (!d.state().find(id)) {
      erase_payload(d, id);
      e.jobs.push_back(id);
    }
  if (!e.jobs.empty())
    d.happened(std::move(e));
  return nothing{};
}

answer on(deciding& d, const tick&) {
  auto left = jobs_per_decision_max;
  end_leases(d, left);
  expire_pending(d, left);
  matured due;
  each_due(d.state().scheduled, d.now, left, d.state(), [&](const job& j) { due.jobs.push_back(j.id); });
  if (!due.jobs.empty())
    d.happened(std::move(due));
  purged old;
  each_due(d.state().dead, d.now - dead_retention, left, d.state(), [&](const job& j) {
    erase_payload(d, j.id);
    old.jobs.push_back(j.id);
  });
  if (!old.jobs.empty())
    d.happened(std::move(old));
  return nothing{};
}

}  // namespace callboard::queue
