#include "actors/opening/decide.hpp"

#include <chrono>
#include <cmath>
#include <optional>

namespace callboard::opening {
namespace {

constexpr std::int64_t page_default = 10'000;

pipeline_entry entry_of(const state& s, const application& a, std::optional<std::int64_t> position) {
  return {application_of(s.id, a.n), a.applicant, {}, {}, a.status, position, a.applied_at, a.promoted_at, a.deadline};
}

std::optional<double> mean_s(std::int64_t sum_ms, std::int64_t count) {
  return count > 0 ? std::optional{static_cast<double>(sum_ms) / static_cast<double>(count) / 1000.0} : std::nullopt;
}

}  // namespace

job job_of(const deciding& d) {
  const auto& s = d.state();
  return {s.id,
          s.title,
          s.description,
          s.capacity,
          live_count(s),
          static_cast<std::int64_t>(s.waiting.size()),
          s.created_at,
          s.ack_window_s,
          s.offer_on_apply,
          s.ack_window_on_apply_s,
          s.phase,
          s.owner,
          d.version()};
}

std::optional<std::int64_t> eta_s(const state& s, std::int64_t position) {
  if (s.promotions.size() < 3)
    return std::nullopt;
  const auto span_ms = static_cast<double>((s.promotions.back() - s.promotions.front()).count());
  const auto gap_ms = span_ms / static_cast<double>(s.promotions.size() - 1);
  return std::llround(static_cast<double>(position) * gap_ms / 1000.0);
}

answer on(deciding& d, const show&) { return job_of(d); }

answer on(deciding& d, const show_pipeline& c) {
  const auto& s = d.state();
  const auto limit = static_cast<std::size_t>(c.limit > 0 ? c.limit : page_default);
  pipeline out{job_of(d), {}, {}, {}};
  cursor reached = c.after;
  bool cut = false;
  for (auto it = s.live.upper_bound(c.after.live); it != s.live.end(); ++it) {
    if (out.active.size() == limit) {
      cut = true;
      break;
    }
    out.active.push_back(entry_of(s, s.applications.at(*it), std::nullopt));
    reached.live = *it;
  }
  auto position = s.waiting.behind(c.after.rank) ? s.waiting.position(s.waiting.behind(c.after.rank)->rank) : 0;
  s.waiting.walk(c.after.rank, [&](std::int64_t rank, std::int64_t n) {
    if (out.waitlist.size() == limit) {
      cut = true;
      return false;
    }
    out.waitlist.push_back(entry_of(s, s.applications.at(n), position++));
    reached.rank = rank;
    return true;
  });
  if (cut)
    out.next = reached;
  return out;
}

answer on(deciding& d, const show_queue& c) {
  const auto& s = d.state();
  const auto limit = static_cast<std::size_t>(c.limit > 0 ? c.limit : page_default);
  queue out{s.id, s.title, s.capacity, live_count(s), {}, {}};
  cursor reached = c.after;
  auto position = s.waiting.behind(c.after.rank) ? s.waiting.position(s.waiting.behind(c.after.rank)->rank) : 0;
  s.waiting.walk(c.after.rank, [&](std::int64_t rank, std::int64_t n) {
    if (out.waitlist.size() == limit) {
      out.next = reached;
      return false;
    }
    const auto& a = s.applications.at(n);
    out.waitlist.push_back(
        {application_of(s.id, n), a.applicant, {}, position, a.applied_at, a.penalty, eta_s(s, position)});
    ++position;
    reached.rank = rank;
    return true;
  });
  return out;
}

answer on(deciding& d, const show_summary&) {
  const auto& s = d.state();
  const auto waiting = static_cast<std::int64_t>(s.waiting.size());
  return summary{s.id,
                 s.title,
                 s.capacity,
                 live_count(s),
                 waiting,
                 s.total - live_count(s) - waiting,
                 s.total,
                 mean_s(s.promotion_ms, s.promotion_count),
                 mean_s(s.acknowledgment_ms, s.acknowledgment_count),
                 s.decays};
}

answer on(deciding& d, const show_application_status& c) {
  const auto& s = d.state();
  application_statuses out{s.title, {}};
  for (const auto id : c.applications)
    if (const auto* a = find(s, id)) {
      const auto position = a->status == status::waitlist ? std::optional{s.waiting.position(a->rank)} : std::nullopt;
      out.applications.push_back({id, s.id, s.title, a->status, position, a->applied_at, a->promoted_at, a->deadline,
                                  std::chrono::floor<seconds>(d.now - a->since).count(),
                                  position ? eta_s(s, *position) : std::nullopt, a->penalty});
    }
  return out;
}

}  // namespace callboard::opening
