#include "actors/opening/rules.hpp"

#include "actors/opening/decide.hpp"
#include "actors/opening/rows.hpp"

#include <algorithm>

namespace callboard::opening {
namespace {

/// A decision also changes the opening's own two rows.
constexpr std::size_t applications_changed_max = changes_max - 2;

refusal no_job(opening_id id) { return {code::not_found, "Job " + std::to_string(id.value) + " not found", {}}; }

std::string named(application_id a) { return "Application " + std::to_string(a.value); }

bool ever_existed(const state& s, application_id a) { return ordinal_of(a) >= 1 && ordinal_of(a) <= s.total; }

bool cools(const state& s, std::int64_t n, instant now) {
  return s.cooling && s.cooling->n == n && now < s.cooling->until;
}

/// The next to be promoted when a slot is free: the first of the waitlist that is not cooling.
std::optional<order::entry> next_eligible(const state& s, instant now) {
  auto first = s.waiting.first();
  if (first && cools(s, first->n, now))
    first = s.waiting.behind(first->rank);
  return first;
}

bool has_free_slot(const state& s) { return live_count(s) < s.capacity; }

/// Offers a free slot to the next of the waitlist; false when there is no slot or nobody for it.
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
  while (d.changed.applications.size() < applications_changed_max && promote_next(d)) {
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

/// The answer to whatever ends an application: the application as it was, now inactive.
answer ended(deciding& d, application was, std::string message) {
  was.status = status::inactive;
  was.deadline.reset();
  cascade(d);
  return result_of(d.state(), was, std::move(message));
}

/// The caller's role, or what the command says while nobody is known.
party withdrawing_party(const deciding& d, const withdraw& c) {
  const auto& by = d.context.by;
  if (by.is_anonymous())
    return c.by.value_or(party::applicant);
  return by.has_role("company") || by.has_role("admin") ? party::company : party::applicant;
}

answer on(deciding& d, const withdraw& c) {
  const auto& s = d.state();
  if (!ever_existed(s, c.application))
    return refusal{code::not_found, named(c.application) + " not found", {}};
  const auto* a = find(s, c.application);
  if (!a)
    return refusal{code::conflict, named(c.application) + " is already inactive", {}};
  const auto was = *a;
  d.happened(withdrawn{c.application, was.status, withdrawing_party(d, c)});
  if (c.reason && !c.reason->empty())
    d.changed.reason = {was.n, *c.reason};
  return ended(d, was, "Application withdrawn");
}

/// The offer that a command is about, or the refusal.
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
  // Free slots are offered before the next offer decays: a cascade may have been cut by the limit of a decision.
  while (d.changed.applications.size() < applications_changed_max && (promote_next(d) || decay_next(d))) {
  }
  return nothing{};
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

std::optional<principal> kind::actor_of(const command& c) {
  const auto* ending = std::get_if<withdraw>(&c);
  return ending && ending->by ? std::optional{principal{std::string{callboard::name(*ending->by)}, {}, {}}}
                              : std::nullopt;
}

}  // namespace callboard::opening
