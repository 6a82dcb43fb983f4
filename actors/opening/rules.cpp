#include "actors/opening/rules.hpp"

#include "actors/opening/rows.hpp"

#include <algorithm>
#include <cmath>

namespace callboard::opening {
namespace {

using deciding = decision<kind>;
using answer = kind::answer;

constexpr std::int64_t page_default = 10'000;
/// The opening's own two rows change as well.
constexpr std::size_t touches_max = changes_max - 2;

std::int64_t live_count(const state& s) { return static_cast<std::int64_t>(s.live.size()); }

refusal no_job(opening_id id) { return {code::not_found, "Job " + std::to_string(id.value) + " not found", {}}; }

std::string named(application_id a) { return "Application " + std::to_string(a.value); }

const application* find(const state& s, application_id a) {
  const auto it = s.applications.find(ordinal_of(a));
  return it == s.applications.end() ? nullptr : &it->second;
}

bool ever_existed(const state& s, application_id a) { return ordinal_of(a) >= 1 && ordinal_of(a) <= s.total; }

bool cools(const state& s, std::int64_t n, instant now) {
  return s.cooling && s.cooling->n == n && now < s.cooling->until;
}

/// Who is promoted next if a slot is free: the first in line who is not cooling.
std::optional<order::entry> next_eligible(const state& s, instant now) {
  auto first = s.waiting.first();
  if (first && cools(s, first->n, now))
    first = s.waiting.behind(first->rank);
  return first;
}

bool has_free_slot(const state& s) { return live_count(s) < s.capacity; }

/// Gives the next free slot to the next in line; false when there is no such slot or nobody for it.
bool promote_next(deciding& d) {
  const auto& s = d.state();
  if (s.phase != phase::open || !has_free_slot(s))
    return false;
  const auto next = next_eligible(s, d.now);
  if (!next)
    return false;
  d.happened(promoted{application_of(s.id, next->n), d.now + seconds{s.ack_window_s}});
  return true;
}

void cascade(deciding& d) {
  while (d.changed.applications.size() < touches_max && promote_next(d)) {
  }
}

bool decay_next(deciding& d) {
  const auto& s = d.state();
  if (s.offers.empty() || s.offers.begin()->first > d.now)
    return false;
  const auto n = s.offers.begin()->second;
  const auto penalty = s.applications.at(n).penalty + 1;
  const auto rank = std::max(s.tail, s.waiting.last_rank()) + 1 + penalty;
  d.happened(decayed{application_of(s.id, n), penalty, rank, static_cast<std::int64_t>(s.waiting.size()) + 1,
                     d.now + seconds{s.ack_window_s}});
  return true;
}

application_result result_of(const state& s, const application& a, std::string message) {
  const bool waits = a.status == status::waitlist;
  return {application_of(s.id, a.n),
          a.applicant,
          s.id,
          a.status,
          waits ? std::optional{s.waiting.position(a.rank)} : std::nullopt,
          std::move(message),
          a.deadline};
}

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

pipeline_entry entry_of(const state& s, const application& a, std::optional<std::int64_t> position) {
  return {application_of(s.id, a.n), a.applicant, {}, {}, a.status, position, a.applied_at, a.promoted_at, a.deadline};
}

// One overload per command: a command without its `on` does not compile.

answer on(deciding& d, const create& c) {
  if (d.state().exists)
    return refusal{code::conflict, "Job " + std::to_string(d.state().id.value) + " exists already", {}};
  d.happened(created{c.title, c.description, c.capacity, c.ack_window_s.value_or(300), c.offer_on_apply.value_or(false),
                     c.ack_window_on_apply_s.value_or(600), std::nullopt});
  return job_of(d);
}

answer on(deciding& d, const update& c) {
  const auto& s = d.state();
  const updated after{c.title.value_or(s.title),
                      c.description.value_or(s.description),
                      c.capacity.value_or(s.capacity),
                      c.ack_window_s.value_or(s.ack_window_s),
                      c.offer_on_apply.value_or(s.offer_on_apply),
                      c.ack_window_on_apply_s.value_or(s.ack_window_on_apply_s),
                      c.phase.value_or(s.phase)};
  const bool same = after.title == s.title && after.description == s.description && after.capacity == s.capacity &&
                    after.ack_window_s == s.ack_window_s && after.offer_on_apply == s.offer_on_apply &&
                    after.ack_window_on_apply_s == s.ack_window_on_apply_s && after.phase == s.phase;
  if (!same) {
    d.happened(after);
    cascade(d);
  }
  return job_of(d);
}

answer on(deciding& d, const apply& c) {
  const auto& s = d.state();
  if (!c.known)
    return refusal{code::not_found, "Applicant " + std::to_string(c.applicant.value) + " not found", {}};
  if (s.phase != phase::open)
    return refusal{code::opening_closed, "Job " + std::to_string(s.id.value) + " is closed", {}};
  if (s.by_applicant.contains(c.applicant.value))
    return refusal{code::duplicate_submission,
                   "Applicant " + std::to_string(c.applicant.value) + " already has an active application for job " +
                       std::to_string(s.id.value),
                   {}};
  const auto n = s.total + 1;
  if (n >= applications_per_opening)
    return refusal{
        code::conflict, "Job " + std::to_string(s.id.value) + " has taken all the applications it can number", {}};

  applied e{application_of(s.id, n), c.applicant, status::active, {}, {}, {}};
  std::string message = "Application is active";
  if (!has_free_slot(s) || next_eligible(s, d.now)) {
    auto rank = s.tail + 1;
    while (s.waiting.has(rank))
      ++rank;
    e.status = status::waitlist;
    e.rank = rank;
    e.position = s.waiting.position(rank);
    message = "Added to the waitlist at position " + std::to_string(*e.position);
  } else if (s.offer_on_apply) {
    e.status = status::pending_acknowledgment;
    e.acknowledge_deadline = d.now + seconds{s.ack_window_on_apply_s};
    message =
        "Application promoted: acknowledge within " + std::to_string((s.ack_window_on_apply_s + 59) / 60) + " minutes";
  }
  d.happened(e);
  if (c.person)
    d.extra_rows.push_back(to_row(*c.person));
  return result_of(s, s.applications.at(n), std::move(message));
}

/// What ends an application answers with how it was, now inactive.
answer ended(deciding& d, application was, std::string message) {
  was.status = status::inactive;
  was.deadline.reset();
  cascade(d);
  return result_of(d.state(), was, std::move(message));
}

answer on(deciding& d, const withdraw& c) {
  const auto& s = d.state();
  if (!ever_existed(s, c.application))
    return refusal{code::not_found, named(c.application) + " not found", {}};
  const auto* a = find(s, c.application);
  if (!a)
    return refusal{code::conflict, named(c.application) + " is already inactive", {}};
  const auto was = *a;
  d.happened(withdrawn{c.application, was.status, c.by.value_or(party::applicant)});
  if (c.reason && !c.reason->empty())
    d.changed.reason = {was.n, *c.reason};
  return ended(d, was, "Application withdrawn");
}

/// The offer that a call is about, or why there is none.
std::variant<application, refusal> offer(const deciding& d, application_id id) {
  const auto& s = d.state();
  if (!ever_existed(s, id))
    return refusal{code::not_found, named(id) + " not found", {}};
  const auto* a = find(s, id);
  const bool expired = a && ((a->status == status::pending_acknowledgment && *a->deadline <= d.now) ||
                             (a->status == status::waitlist && a->penalty > 0));
  if (expired)
    return refusal{code::gone, "The offer of " + named(id) + " has expired", {}};
  if (!a || a->status != status::pending_acknowledgment)
    return refusal{code::conflict, named(id) + " is not pending acknowledgment", {}};
  return *a;
}

answer on(deciding& d, const acknowledge& c) {
  const auto found = offer(d, c.application);
  if (const auto* no = std::get_if<refusal>(&found))
    return *no;
  d.happened(acknowledged{c.application});
  return result_of(d.state(), *find(d.state(), c.application), "Application acknowledged");
}

answer on(deciding& d, const decline& c) {
  const auto found = offer(d, c.application);
  if (const auto* no = std::get_if<refusal>(&found))
    return *no;
  d.happened(declined{c.application});
  return ended(d, std::get<application>(found), "Offer declined");
}

answer on(deciding& d, const tick&) {
  // A cascade that was interrupted goes on before the next offer decays.
  while (d.changed.applications.size() < touches_max && (promote_next(d) || decay_next(d))) {
  }
  return nothing{};
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

std::optional<double> mean_s(std::int64_t sum_ms, std::int64_t count) {
  return count > 0 ? std::optional{static_cast<double>(sum_ms) / static_cast<double>(count) / 1000.0} : std::nullopt;
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

}  // namespace

state kind::initial(const std::string& key) {
  state s;
  s.id.value = std::stoll(key);
  return s;
}

answer kind::decide(decision<kind>& d, const command& c) {
  if (!d.state().exists && !std::holds_alternative<create>(c))
    return no_job(d.state().id);
  return std::visit([&](const auto& one) -> answer { return on(d, one); }, c);
}

std::optional<instant> kind::deadline(const state& s) {
  std::optional<instant> due;
  if (!s.offers.empty())
    due = s.offers.begin()->first;
  if (s.phase == phase::open && has_free_slot(s) && !s.waiting.empty()) {
    // Somebody can be promoted now, or as soon as the one who cools has cooled.
    const bool only_cooling = s.waiting.size() == 1 && s.cooling && s.cooling->n == s.waiting.first()->n;
    const auto then = only_cooling ? s.cooling->until : instant{};
    due = due ? std::min(*due, then) : then;
  }
  return due;
}

std::optional<std::string> kind::subject(const event& e) {
  return std::visit(
      [](const auto& one) -> std::optional<std::string> {
        if constexpr (requires { one.application; })
          return std::to_string(one.application.value);
        else
          return std::nullopt;
      },
      e);
}

void kind::rows(const state& s, const changes& changed, std::int64_t version, std::vector<row>& out) {
  put_rows(s, changed, version, out);
}

std::size_t kind::weight(const state& s) { return 1'024 + s.applications.size() * 220; }

std::optional<std::int64_t> eta_s(const state& s, std::int64_t position) {
  if (s.promotions.size() < 3)
    return std::nullopt;
  const auto span_ms = static_cast<double>((s.promotions.back() - s.promotions.front()).count());
  const auto gap_ms = span_ms / static_cast<double>(s.promotions.size() - 1);
  return std::llround(static_cast<double>(position) * gap_ms / 1000.0);
}

}  // namespace callboard::opening
