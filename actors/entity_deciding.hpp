#pragma once

#include "actors/entity.hpp"
#include "base/hex.hpp"
#include "messages/event_codec.hpp"
#include "persistence/chain.hpp"
#include "persistence/rows.hpp"

#include <exception>
#include <stdexcept>

/// From a command or a deadline to an append.
namespace callboard::actors {

template <class Kind>
bool entity<Kind>::is_due(instant now) const {
  const auto due = seq_ > 0 ? Kind::deadline(*state_) : std::nullopt;
  return due && *due <= now;
}

/// When this entity must be awake: at its deadline, and within a minute while an effect is unanswered.
template <class Kind>
std::optional<instant> entity<Kind>::next_due(instant now) const {
  auto due = seq_ > 0 ? Kind::deadline(*state_) : std::nullopt;
  if (!wanted_effects().empty()) {
    const auto minute = now + std::chrono::seconds{60};
    due = due ? std::min(*due, minute) : minute;
  }
  return due;
}

/// Decides what is due, one decision a turn; false while more is due: then this goes on in a turn of its own, before
/// any request.
template <class Kind>
bool entity<Kind>::settle_due(bool ticked) {
  const auto now = decision_time();
  if (is_due(now)) {
    if (env_.writer.is_down()) {
      tick_wanted_ = true;
      give_up(code::not_applied);
      return false;
    }
    if (!decide_due(now))
      return false;
    if (is_due(now)) {
      tick_wanted_ = tick_wanted_ || ticked;
      caf::anon_send(this, make_turn([this] { proceed(); }));
      return false;
    }
  } else if (ticked)
    correct_timer(now);
  return true;
}

template <class Kind>
bool entity<Kind>::decide_due(instant now) {
  decision<Kind> d{*state_, context_at(now, system_principal), seq_};
  try {
    Kind::decide(d, typename Kind::command{typename Kind::tick{}});
    if (d.is_empty())
      throw std::logic_error{"something is due and the rules decided nothing"};
    send(d, by_system("clock", "deadline"), {});
    return true;
  } catch (const std::exception& e) {
    tick_wanted_ = true;
    crash(e);
    return false;
  }
}

/// Nothing was due: the stored time was early, or it stands for unanswered effects. Sets it to the true one.
template <class Kind>
void entity<Kind>::correct_timer(instant now) {
  repeat_effects();
  const auto due = next_due(now);
  if (stored_due_ == due) {
    if (due)
      env_.arm(id_, *due);
    return;
  }
  if (env_.writer.is_down())
    return wake_soon();
  auto a = empty_append();
  put_timer(a, due);
  decided_.push_back(std::move(a));
}

template <class Kind>
void entity<Kind>::put_timer(persistence::append& a, std::optional<instant> due) {
  auto r = to_row(
      persistence::timer_row{std::string{Kind::name}, id_.key, shard_of(Kind::name, id_.key), due.value_or(instant{})});
  r.erased = !due;
  a.rows.push_back(std::move(r));
  a.arm = due;
  stored_due_ = due;
}

template <class Kind>
void entity<Kind>::decide(command_ptr q, keyed* entry) {
  if (must_wait(*q))
    return add_waiter(std::move(q));
  if (q->if_match && seq_ > 0 && *q->if_match != seq_) {
    release_joiners(q, entry);
    return answer(std::move(q),
                  refusal{code::precondition_failed, "The version is " + std::to_string(seq_) + " now", {}});
  }
  decision<Kind> d{*state_, context_at(decision_time(), q->asker()), seq_};
  try {
    auto a = Kind::decide(d, q->command);
    if (auto* no = std::get_if<refusal>(&a)) {
      release_joiners(q, entry);
      constexpr int lookups_max = 3;
      if (d.lookup_is_stale && ++q->lookups < lookups_max)
        return resolve_(q);
      if (d.is_empty())
        return answer(std::move(q), std::move(*no));
      return send(d, attributed(*q), std::make_unique<entity_reply<Kind>>(q, std::move(*no), d.version()));
    }
    auto& result = std::get<typename Kind::result>(a);
    if (entry)
      remember(d, *q, *entry, result);
    if (d.is_empty())
      return answer(std::move(q), std::move(result));
    const auto version = d.version();
    auto by = attributed(*q);
    send(d, std::move(by),
         std::make_unique<entity_reply<Kind>>(std::move(q), std::move(result), version,
                                              entry ? entry->callers_notified : nullptr));
  } catch (const std::exception& e) {
    if (q)
      q->fail(code::internal);
    crash(e);
  }
}

/// An answer without events: at once when everything it saw is stored, else behind that.
template <class Kind>
void entity<Kind>::answer(command_ptr q, typename entity_reply<Kind>::outcome o) {
  auto reply = std::make_unique<entity_reply<Kind>>(std::move(q), std::move(o), seq_);
  if (life_->committed.load(std::memory_order_acquire) == seq_)
    return reply->release();
  answer_behind(std::move(reply));
}

/// After everything that this life has sent.
template <class Kind>
void entity<Kind>::answer_behind(std::unique_ptr<persistence::pending_reply> reply) {
  auto a = empty_append();
  a.replies.push_back(std::move(reply));
  decided_.push_back(std::move(a));
}

template <class Kind>
persistence::append entity<Kind>::empty_append() const {
  persistence::append a;
  a.entity = id_;
  a.life = life_;
  a.expected = seq_;
  return a;
}

template <class Kind>
void entity<Kind>::send(decision<Kind>& d, std::shared_ptr<const origin> by,
                        std::unique_ptr<persistence::pending_reply> reply) {
  auto a = empty_append();
  a.events.reserve(d.events.size());
  for (const auto& e : d.events) {
    auto [type, data] = encode_event(e);
    auto subject = Kind::subject(e);
    seq_ += 1;
    hash_ = persistence::chain_hash(hash_, Kind::name, id_.key, seq_, type, d.now, subject, *by, data);
    a.events.push_back({type, d.now, std::move(subject), std::move(data), hash_});
  }
  a.by = std::move(by);
  a.rows = std::move(d.extra_rows);
  if (!d.events.empty()) {
    last_at_ = d.now;
    Kind::rows(*state_, d.changed, seq_, a.rows);
    weigh();
  }
  const auto due = next_due(d.now);
  // The stored time may be early, never late; one that has passed has done its duty.
  const bool earlier = due && (!stored_due_ || *due < *stored_due_);
  const bool spent = stored_due_ && *stored_due_ <= d.now && stored_due_ != due;
  if (earlier || spent)
    put_timer(a, due);
  if (reply)
    a.replies.push_back(std::move(reply));
  take_on_effects(a);
  decided_.push_back(std::move(a));
}

/// Whom an event is attributed to: the principal, or in open mode whoever the command names.
template <class Kind>
std::shared_ptr<const origin> entity<Kind>::attributed(const request_to<Kind>& q) const {
  if constexpr (names_actor<Kind>)
    if (q.by && q.asker().is_anonymous())
      if (auto named = Kind::actor_of(q.command)) {
        auto by = std::make_shared<origin>(*q.by);
        by->actor_type = std::move(named->type);
        by->actor_id = std::move(named->id);
        return by;
      }
  return q.by ? q.by : by_system("", "");
}

/// What the machinery decides has no caller; the hash that it builds on makes a trace of its own.
template <class Kind>
std::shared_ptr<const origin> entity<Kind>::by_system(std::string id, std::string reason) const {
  return std::make_shared<const origin>(
      origin{"system", std::move(id), std::move(reason), persistence::to_hex(hash_.substr(0, 16)), ""});
}

}  // namespace callboard::actors
