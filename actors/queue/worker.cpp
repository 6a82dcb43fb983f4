#include "actors/queue/decide.hpp"
#include "actors/queue/rows.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace callboard::queue {
namespace {

refusal stale(const std::string& id) {
  return {code::stale_lease, "Job " + id + " is not leased under this token", {}};
}

/// The job that is leased under this token, or the refusal.
std::variant<const job*, refusal> leased(const state& s, const std::string& id, std::int64_t token) {
  const auto* j = s.find(id);
  if (!j || !j->held || !j->held->is(token))
    return stale(id);
  return j;
}

job_result refused_one(const std::string& id, const refusal& no) {
  return {id, {}, 0, {}, {}, false, no.what, no.message};
}

std::int64_t base_ms(const backoff_bases& bases, const std::string& type) {
  const auto it = bases.by_type_ms.find(type);
  return it == bases.by_type_ms.end() ? bases.usual_ms : it->second;
}

}  // namespace

answer on(deciding& d, const claim& c) {
  const auto picked = pick(d.state(), c.types, c.limit, d.now);
  claimed_jobs out;
  if (picked.empty())
    return out;
  const auto length = milliseconds{c.lease_s * 1'000};
  // The version of the claim's own event is unique, and so are tokens.
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
      out.jobs.back().progress.text = "0";  // a repeated keyed claim answers with it too
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
    write_report(d, r);
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
      out.jobs.push_back(refused_one(w.id, *no));
      continue;
    }
    if (w.results) {
      auto r = report_of(d, w.id);
      r.results = w.results;
      write_report(d, r);
    }
    out.jobs.push_back(ended(d, w.id, status::complete, std::get<const job*>(found)->attempts));
    e.jobs.push_back(w.id);
  }
  if (!e.jobs.empty())
    d.happened(std::move(e));
  if (c.is_one)
    return std::move(out.jobs.front());
  return out;
}

answer on(deciding& d, const fail& c) {
  const auto found = leased(d.state(), c.id, c.token);
  if (const auto* no = std::get_if<refusal>(&found))
    return *no;
  const auto& j = *std::get<const job*>(found);
  auto r = report_of(d, c.id);
  r.error = c.error;
  r.error_code = c.error_code.value_or("");
  write_report(d, r);
  const auto attempts = j.attempts + 1;
  if (j.cancel_requested) {
    d.happened(cancelled{{c.id}});
    return ended(d, c.id, status::cancelled, j.attempts);
  }
  if (c.permanent || attempts >= j.max_attempts) {
    d.happened(died{{{c.id, attempts, fingerprint(j.type->name, c.error_code, c.error), c.error_code}}});
    return ended(d, c.id, status::failed, attempts);
  }
  const auto pause = c.retry_after_s ? milliseconds{*c.retry_after_s * 1'000}
                                     : backoff(base_ms(d.context.settings.backoff, j.type->name), j.attempts,
                                               d.context.random_share());
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
      out.jobs.push_back(refused_one(w.id, *no));
      continue;
    }
    const auto& j = *std::get<const job*>(found);
    if (j.cancel_requested)
      out.jobs.push_back(ended(d, w.id, status::cancelled, j.attempts));
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

}  // namespace callboard::queue
