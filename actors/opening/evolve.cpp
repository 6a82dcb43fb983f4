#include "actors/opening/rules.hpp"

#include <stdexcept>

namespace callboard::opening {
namespace {

constexpr std::size_t promotions_kept = 20;

/// Applies one event to the state and notes what it changed.
struct evolution {
  state& s;
  instant at;
  changes& changed;

  application& one(application_id id) {
    const auto it = s.applications.find(ordinal_of(id));
    if (it == s.applications.end())
      throw std::logic_error("an event names application " + std::to_string(id.value) +
                             ", which is neither live nor waiting");
    return it->second;
  }

  void enter(application& a, status to) {
    a.status = to;
    a.since = at;
    if (to == status::waitlist)
      s.waiting.add(a.rank, a.n);
    else
      s.live.insert(a.n);
    if (to == status::pending_acknowledgment)
      s.offers.insert({*a.deadline, a.n});
    changed.applications.push_back(a);
  }

  void leave(const application& a, status to) {
    check_move(application_lifecycle, a.status, to);
    if (a.status == status::waitlist)
      s.waiting.remove(a.rank);
    else
      s.live.erase(a.n);
    if (a.status == status::pending_acknowledgment)
      s.offers.erase({*a.deadline, a.n});
  }

  /// The application becomes inactive and leaves memory. Its cooling ends with it; a freed slot ends anybody's cooling.
  void end(application_id id) {
    auto& a = one(id);
    leave(a, status::inactive);
    if (a.status != status::waitlist || (s.cooling && s.cooling->n == a.n))
      s.cooling.reset();
    a.status = status::inactive;
    a.since = at;
    a.promoted_at.reset();
    a.deadline.reset();
    changed.applications.push_back(a);
    s.by_applicant.erase(a.applicant.value);
    s.applications.erase(a.n);
  }

  void operator()(const created& e) {
    s.exists = true;
    s.title = e.title;
    s.description = e.description;
    s.capacity = e.capacity;
    s.ack_window_s = e.ack_window_s;
    s.offer_on_apply = e.offer_on_apply;
    s.ack_window_on_apply_s = e.ack_window_on_apply_s;
    s.owner = e.owner;
    s.created_at = at;
    changed.opening = true;
  }

  void operator()(const updated& e) {
    if (e.capacity > s.capacity)
      s.cooling.reset();
    s.title = e.title;
    s.description = e.description;
    s.capacity = e.capacity;
    s.ack_window_s = e.ack_window_s;
    s.offer_on_apply = e.offer_on_apply;
    s.ack_window_on_apply_s = e.ack_window_on_apply_s;
    s.phase = e.phase;
    changed.opening = true;
  }

  void operator()(const applied& e) {
    check_move(application_lifecycle, std::nullopt, e.status);
    application a{.n = ordinal_of(e.application),
                  .applicant = e.applicant,
                  .status = e.status,
                  .rank = e.rank.value_or(0),
                  .penalty = 0,
                  .applied_at = at,
                  .promoted_at = {},
                  .deadline = e.acknowledge_deadline,
                  .since = at};
    if (e.status == status::pending_acknowledgment)
      a.promoted_at = at;
    const auto [it, is_new] = s.applications.emplace(a.n, a);
    if (!is_new)
      throw std::logic_error("application " + std::to_string(e.application.value) + " was made twice");
    if (e.status == status::waitlist)
      s.tail = a.rank;
    s.total = a.n;
    s.by_applicant[a.applicant.value] = a.n;
    enter(it->second, e.status);
  }

  void operator()(const promoted& e) {
    auto& a = one(e.application);
    leave(a, status::pending_acknowledgment);
    if (s.cooling && s.cooling->n == a.n)
      s.cooling.reset();
    a.rank = 0;  // only a waiting application has one
    a.promoted_at = at;
    a.deadline = e.acknowledge_deadline;
    enter(a, status::pending_acknowledgment);
    s.promotions.push_back(at);
    if (s.promotions.size() > promotions_kept)
      s.promotions.pop_front();
    s.promotion_count += 1;
    s.promotion_ms += (at - a.applied_at).count();
  }

  void operator()(const acknowledged& e) {
    auto& a = one(e.application);
    leave(a, status::active);
    s.acknowledgment_count += 1;
    s.acknowledgment_ms += (at - *a.promoted_at).count();
    a.deadline.reset();
    enter(a, status::active);
  }

  void operator()(const withdrawn& e) { end(e.application); }
  void operator()(const declined& e) { end(e.application); }

  void operator()(const decayed& e) {
    auto& a = one(e.application);
    leave(a, status::waitlist);
    a.rank = e.rank;
    a.penalty = e.penalty_count;
    a.promoted_at.reset();
    a.deadline.reset();
    enter(a, status::waitlist);
    s.cooling = {a.n, e.cools_until};
    s.decays += 1;
  }
};

}  // namespace

void kind::evolve(state& s, const event& e, instant at, changes& changed) { std::visit(evolution{s, at, changed}, e); }

}  // namespace callboard::opening
