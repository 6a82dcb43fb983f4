#pragma once

#include "actors/entity.hpp"
#include "base/json_write.hpp"
#include "persistence/rows.hpp"

#include <algorithm>

/// What a request may wait for: its turn, something to happen, the look-up of its key.
namespace callboard::actors {

template <class Kind>
void entity<Kind>::handle(command_ptr q) {
  if (env_.steady_now() > q->deadline() || (q->is_write && env_.writer.is_down()))
    return turn_away(q, code::not_applied);
  if (q->key)
    return handle_keyed(std::move(q));
  decide(std::move(q), nullptr);
}

// Deadlines

/// While the state is not there, nothing is decided: requests past their deadline are refused all the same.
template <class Kind>
void entity<Kind>::watch_deadlines() {
  if (watching_ || waiting_.empty())
    return;
  watching_ = true;
  later(std::chrono::seconds{1}, [this] {
    watching_ = false;
    refuse_late();
    proceed();
  });
}

template <class Kind>
void entity<Kind>::refuse_late() {
  const auto now = env_.steady_now();
  const auto in_time = [now](const command_ptr& q) { return now <= q->deadline(); };
  const auto late = std::stable_partition(waiting_.begin(), waiting_.end(), in_time);
  const std::vector<command_ptr> gone{late, waiting_.end()};
  waiting_.erase(late, waiting_.end());
  for (const auto& q : gone)
    turn_away(q, code::not_applied);
}

/// Requests that joined it are decided on their own.
template <class Kind>
void entity<Kind>::turn_away(const command_ptr& q, code why) {
  if (auto* entry = keyed_.owned_by(q))
    release_joiners(q, entry);
  q->fail(why);
}

// Waiting for something to happen

template <class Kind>
bool entity<Kind>::must_wait(const request_to<Kind>& q) const {
  if constexpr (can_wait<Kind>)
    return !env_.draining && env_.steady_now() < waiters<Kind>::ends(q) &&
           !Kind::can_answer(*state_, q.command, decision_time());
  else
    return false;
}

template <class Kind>
void entity<Kind>::add_waiter(command_ptr q) {
  q->release_slot();
  q->waiting = true;
  waiters_.add(std::move(q));
  watch_waiters();
}

/// In the order of their arrival those that can be answered; then those whose time is over.
template <class Kind>
void entity<Kind>::wake_waiters() {
  if constexpr (can_wait<Kind>) {
    // A waiting request needs the state as much as a new one.
    if (waiters_.empty() || !alive())
      return;
    const auto can = [this](const Kind::command& c) { return Kind::can_answer(*state_, c, decision_time()); };
    const auto any = [this] { return Kind::can_answer_any(*state_, decision_time()); };
    // What is due is decided before any request.
    if (is_due(decision_time()) && !settle_due(false))
      return;
    while (auto q = waiters_.next(can, any, env_.draining ? waiters<Kind>::end_of_time : env_.steady_now())) {
      decide_waiter(std::move(q));
      if (phase_ != phase::living)
        return;
    }
    watch_waiters();
  }
}

template <class Kind>
void entity<Kind>::decide_waiter(command_ptr q) {
  q->waiting = false;
  q->renew(env_.steady_now());
  if (q->abandoned || (q->is_write && env_.writer.is_down()))
    return turn_away(q, code::not_applied);
  if (!q->key)
    return decide(std::move(q), nullptr);
  auto* entry = keyed_.owned_by(q);
  if (!entry)
    return handle_keyed(std::move(q));  // the state was dropped meanwhile
  decide(std::move(q), entry);
}

/// Wakes this actor when a request has waited long enough, or when time alone makes one possible.
template <class Kind>
void entity<Kind>::watch_waiters() {
  if constexpr (can_wait<Kind>) {
    const auto now = env_.steady_now();
    const auto then = waiters_.next_look(now, Kind::next_possible_at(*state_, decision_time()), decision_time());
    if (!then)
      return;
    const auto pause = std::max(std::chrono::ceil<milliseconds>(*then - now), milliseconds{1});
    later(std::chrono::milliseconds{pause}, [this, then] {
      waiters_.looked(*then);
      proceed();
    });
  }
}

// Idempotency-Keys: looked up after the arrival, so that two arrivals cannot both find nothing.

template <class Kind>
void entity<Kind>::handle_keyed(command_ptr q) {
  const auto [entry, is_first] = keyed_.arrive(q);
  if (is_first) {
    q->joined = false;
    return look_up(q->key->digest);
  }
  if (entry->owner == q && entry->is_new)
    return decide(std::move(q), entry);
  q->joined = true;
  if (entry->owner && entry->owner->waiting)
    return q->fail(code::not_applied);  // its wait may be long
  if (entry->answer)
    return answer_joiner(std::move(q), *entry);
  entry->joiners.push_back(std::move(q));
}

template <class Kind>
void entity<Kind>::answer_joiner(command_ptr q, const keyed& entry) {
  if (q->key->fingerprint != entry.fingerprint)
    return answer(std::move(q), idempotency_mismatch());
  // Its record may not be stored yet although every event is: a 2xx without events has one too.
  answer_behind(std::make_unique<entity_reply<Kind>>(std::move(q), *entry.answer, seq_));
}

template <class Kind>
void entity<Kind>::look_up(const std::string& digest) {
  env_.answers.ask(digest, [this, me = self(), digest](bool asked, const persistence::request_row* found) {
    auto row = found ? std::optional{*found} : std::nullopt;
    caf::anon_send(me, make_turn([this, digest, asked, row = std::move(row)] { on_looked_up(digest, asked, row); }));
  });
}

template <class Kind>
void entity<Kind>::on_looked_up(const std::string& digest, bool asked,
                                const std::optional<persistence::request_row>& found) {
  auto* entry = keyed_.find(digest);
  if (!entry || entry->is_new)
    return proceed();  // the state was dropped meanwhile; the request waits to be decided anew
  if (asked && (!found || env_.time.now() - found->at >= env_.answers_kept)) {
    entry->is_new = true;
    waiting_.push_front(entry->owner);
    return proceed();
  }
  const auto owner = entry->owner;
  auto all = keyed_.take(digest);
  all.push_front(owner);
  for (auto& q : all) {
    if (!asked)
      q->fail(code::not_applied);
    else if (q->key->fingerprint != found->fingerprint.data)
      q->refuse(idempotency_mismatch());
    else
      q->answer_again({static_cast<success>(found->status), found->body});
  }
  proceed();
}

namespace detail {

/// What is stored of an answer: itself, or a short form of its own when it is too long.
template <class Result>
std::string stored_body(const Result& r) {
  constexpr std::size_t body_bytes_max = 256 * 1024;
  std::string body;  // reads are not stored
  if constexpr (described<Result>)
    body = to_json(r);
  if (body.size() <= body_bytes_max)
    return body;
  if constexpr (requires { r.short_form(); })
    return r.short_form();
  else
    return R"({"truncated":true})";
}

/// A result that is not what its command usually brings says so itself.
template <class Result>
std::optional<success> how_of(const Result& r) {
  if constexpr (requires { r.how(); })
    return r.how();
  else
    return std::nullopt;
}

}  // namespace detail

template <class Kind>
void entity<Kind>::remember(decision<Kind>& d, const request_to<Kind>& q, keyed& entry,
                            const typename Kind::result& result) {
  const auto how = std::visit([](const auto& r) { return detail::how_of(r); }, result)
                       .value_or(std::visit([](const auto& c) { return success{c.answers}; }, q.command));
  entry.answer = replay{how, std::visit([](const auto& r) { return detail::stored_body(r); }, result)};
  entry.callers_notified = std::make_shared<std::atomic<bool>>(false);
  entry.owner.reset();  // its slot is free as soon as it is answered
  d.extra_rows.push_back(to_row(persistence::request_row{
      {q.key->digest}, {q.key->fingerprint}, static_cast<std::int32_t>(how), entry.answer->body, d.now}));
  for (auto& j : std::exchange(entry.joiners, {}))
    waiting_.push_front(std::move(j));
}

/// Refusals are not remembered: requests that joined this one are decided on their own.
template <class Kind>
void entity<Kind>::release_joiners(const command_ptr& q, keyed* entry) {
  if (!entry)
    return;
  auto joiners = keyed_.take(q->key->digest);
  for (auto it = joiners.rbegin(); it != joiners.rend(); ++it) {
    (*it)->joined = false;
    waiting_.push_front(std::move(*it));
  }
}

}  // namespace callboard::actors
