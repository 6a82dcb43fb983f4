#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The contract of an opening once more, as simply as it can be said: one vector, scanned from
/// front to back, times as plain milliseconds. It shares no line with the rules it judges.
namespace callboard::model {

using ms = std::int64_t;
using maybe = std::optional<std::int64_t>;

struct entry {
  std::int64_t n = 0;
  std::int64_t applicant = 0;
  std::string status;
  std::int64_t rank = 0;
  std::int64_t penalty = 0;
  ms applied_at = 0;
  maybe promoted_at;
  maybe deadline;
  ms since = 0;

  bool is_live() const { return status == "ACTIVE" || status == "PENDING_ACKNOWLEDGMENT"; }
  bool is_pending() const { return status == "PENDING_ACKNOWLEDGMENT"; }
  bool is_waiting() const { return status == "WAITLIST"; }
};

struct reply {
  std::string refused;  ///< a code, or empty
  std::int64_t n = 0;
  std::string status;
  maybe position;
  maybe deadline;
  std::string says;  ///< some words of the message
};

class opening {
public:
  // What it is
  std::int64_t capacity = 1;
  std::int64_t window_s = 300;
  bool offer_on_apply = false;
  std::int64_t window_on_apply_s = 600;
  bool open = true;

  // How it stands
  std::vector<entry> all;  ///< everybody who ever applied, by number
  std::int64_t tail = 0;
  std::int64_t cooling = 0;  ///< a number, or nobody
  ms cools_until = 0;
  std::vector<ms> promotions;
  std::vector<ms> times_to_promotion;
  std::vector<ms> times_to_acknowledgment;
  std::int64_t decays = 0;
  std::vector<std::string> journal;

  // Looking

  std::int64_t live() const {
    return std::count_if(all.begin(), all.end(), [](auto& e) { return e.is_live(); });
  }

  std::vector<entry> line() const {
    std::vector<entry> out;
    for (const auto& e : all)
      if (e.is_waiting())
        out.push_back(e);
    std::sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.rank < b.rank; });
    return out;
  }

  maybe position_of(const entry& one) const {
    if (!one.is_waiting())
      return std::nullopt;
    std::int64_t before = 0;
    for (const auto& e : all)
      if (e.is_waiting() && e.rank < one.rank)
        ++before;
    return before + 1;
  }

  bool is_eligible(const entry& e, ms now) const {
    return open && e.is_waiting() && !(e.n == cooling && now < cools_until);
  }

  bool somebody_is_eligible(ms now) const {
    return std::any_of(all.begin(), all.end(), [&](auto& e) { return is_eligible(e, now); });
  }

  /// When something happens by itself; a moment that is over when it should have happened already.
  maybe next_due(ms now) const {
    maybe due;
    const auto sooner = [&](ms at) { due = due ? std::min(*due, at) : at; };
    for (const auto& e : all)
      if (e.is_pending())
        sooner(*e.deadline);
    if (open && live() < capacity) {
      for (const auto& e : all)
        if (e.is_waiting())
          sooner(e.n == cooling ? std::max(now, cools_until) : now);
    }
    return due;
  }

  // Doing

  void look(ms now) {
    promote(now);
    while (auto* due = first_due(now)) {
      decay(*due, now);
      promote(now);
    }
  }

  reply apply(std::int64_t applicant, bool known, ms now) {
    if (!known)
      return refused("NOT_FOUND");
    if (!open)
      return refused("OPENING_CLOSED");
    for (const auto& e : all)
      if (e.applicant == applicant && e.status != "INACTIVE")
        return refused("DUPLICATE_SUBMISSION");
    entry e;
    e.n = static_cast<std::int64_t>(all.size()) + 1;
    e.applicant = applicant;
    e.applied_at = e.since = now;
    std::string says = "active";
    if (live() >= capacity || somebody_is_eligible(now)) {
      e.status = "WAITLIST";
      e.rank = tail + 1;
      while (rank_is_taken(e.rank))
        ++e.rank;
      tail = e.rank;
    } else if (offer_on_apply) {
      e.status = "PENDING_ACKNOWLEDGMENT";
      e.promoted_at = now;
      e.deadline = now + window_on_apply_s * 1000;
      says = "promoted";
    } else {
      e.status = "ACTIVE";
    }
    all.push_back(e);
    const auto position = position_of(e);
    if (position)
      says = "waitlist at position " + std::to_string(*position);
    if (e.is_pending())
      says = "within " + std::to_string((window_on_apply_s + 59) / 60) + " minutes";
    note(now, "APPLIED", e, e.status + position_text(position) + deadline_text(e));
    return answer(e, says);
  }

  reply withdraw(std::int64_t n, const std::string& by, ms now) {
    auto* e = find(n);
    if (!e)
      return refused("NOT_FOUND");
    if (e->status == "INACTIVE")
      return refused("CONFLICT", "already inactive");
    note(now, "WITHDRAWN", *e, e->status + " by " + by);
    leave(*e, now);
    return answer(*e, "withdrawn");
  }

  reply acknowledge(std::int64_t n, ms now) {
    if (const auto no = no_offer(n); !no.refused.empty())
      return no;
    auto& e = *find(n);
    times_to_acknowledgment.push_back(now - *e.promoted_at);
    e.status = "ACTIVE";
    e.deadline.reset();
    e.since = now;
    note(now, "ACKNOWLEDGED", e, "");
    return answer(e, "acknowledged");
  }

  reply decline(std::int64_t n, ms now) {
    if (const auto no = no_offer(n); !no.refused.empty())
      return no;
    auto& e = *find(n);
    note(now, "DECLINED", e, "");
    leave(e, now);
    return answer(e, "declined");
  }

  void set_capacity(std::int64_t to, ms now) {
    if (to == capacity)
      return;
    journal.push_back(std::to_string(now) + " JOB_UPDATED");
    if (to > capacity)
      cooling = 0;
    capacity = to;
    promote(now);
  }
  void set_windows(std::int64_t to, std::int64_t on_apply, ms now) {
    if (to == window_s && on_apply == window_on_apply_s)
      return;
    journal.push_back(std::to_string(now) + " JOB_UPDATED");
    window_s = to;
    window_on_apply_s = on_apply;
  }
  void set_offer_on_apply(bool to, ms now) {
    if (to == offer_on_apply)
      return;
    journal.push_back(std::to_string(now) + " JOB_UPDATED");
    offer_on_apply = to;
  }
  void set_open(bool to, ms now) {
    if (to == open)
      return;
    journal.push_back(std::to_string(now) + " JOB_UPDATED");
    open = to;
    promote(now);
  }

private:
  static reply refused(std::string code, std::string says = "") {
    return {std::move(code), 0, "", {}, {}, std::move(says)};
  }

  reply answer(const entry& e, std::string says) const {
    return {"", e.n, e.status, position_of(e), e.deadline, std::move(says)};
  }

  entry* find(std::int64_t n) {
    for (auto& e : all)
      if (e.n == n)
        return &e;
    return nullptr;
  }

  bool rank_is_taken(std::int64_t rank) const {
    return std::any_of(all.begin(), all.end(), [&](auto& e) { return e.is_waiting() && e.rank == rank; });
  }

  reply no_offer(std::int64_t n) {
    auto* e = find(n);
    if (!e)
      return refused("NOT_FOUND");
    if (e->is_waiting() && e->penalty > 0)
      return refused("GONE");
    if (!e->is_pending())
      return refused("CONFLICT", "not pending acknowledgment");
    return {};
  }

  void leave(entry& e, ms now) {
    const bool freed_a_slot = e.is_live();
    if (freed_a_slot || cooling == e.n)
      cooling = 0;
    e.status = "INACTIVE";
    e.promoted_at.reset();
    e.deadline.reset();
    e.since = now;
    promote(now);
  }

  void promote(ms now) {
    while (open && live() < capacity) {
      entry* next = nullptr;
      for (auto& e : all)
        if (is_eligible(e, now) && (!next || e.rank < next->rank))
          next = &e;
      if (!next)
        return;
      if (cooling == next->n)
        cooling = 0;
      next->status = "PENDING_ACKNOWLEDGMENT";
      next->promoted_at = now;
      next->deadline = now + window_s * 1000;
      next->since = now;
      promotions.push_back(now);
      times_to_promotion.push_back(now - next->applied_at);
      note(now, "PROMOTED", *next, deadline_text(*next));
    }
  }

  entry* first_due(ms now) {
    entry* due = nullptr;
    for (auto& e : all)  // by number, so the first of equal deadlines is found first
      if (e.is_pending() && *e.deadline <= now && (!due || *e.deadline < *due->deadline))
        due = &e;
    return due;
  }

  void decay(entry& e, ms now) {
    auto highest = tail;
    for (const auto& other : all)
      if (other.is_waiting())
        highest = std::max(highest, other.rank);
    e.status = "WAITLIST";
    e.penalty += 1;
    e.rank = highest + 1 + e.penalty;
    e.promoted_at.reset();
    e.deadline.reset();
    e.since = now;
    cooling = e.n;
    cools_until = now + window_s * 1000;
    ++decays;
    note(now, "DECAY_TRIGGERED", e,
         "penalty " + std::to_string(e.penalty) + " rank " + std::to_string(e.rank) + position_text(position_of(e)));
  }

  static std::string position_text(const maybe& position) {
    return position ? " position " + std::to_string(*position) : "";
  }
  static std::string deadline_text(const entry& e) { return e.deadline ? " until " + std::to_string(*e.deadline) : ""; }

  void note(ms now, const char* type, const entry& e, const std::string& more) {
    journal.push_back(std::to_string(now) + ' ' + type + ' ' + std::to_string(e.n) + ' ' + more);
  }
};

}  // namespace callboard::model
