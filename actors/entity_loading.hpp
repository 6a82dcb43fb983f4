#pragma once

#include "actors/entity.hpp"
#include "base/log.hpp"

#include <exception>

/// How the state of an entity comes and goes.
namespace callboard::actors {

template <class Kind>
bool entity<Kind>::alive() {
  if (life_ && (life_->cut || store_generation_ != env_.writer.store_generation()))
    drop_state();
  if (phase_ == phase::living)
    return true;
  if (phase_ == phase::absent) {
    if (!waiting_.empty() && waiting_.front()->creates && !was_loaded_) {
      store_generation_ = env_.writer.store_generation();
      begin({});
    } else
      start_loading();
  }
  return phase_ == phase::living;
}

template <class Kind>
void entity<Kind>::start_loading() {
  hand_over();
  phase_ = phase::loading;
  store_generation_ = env_.writer.store_generation();
  // Behind everything that the last incarnation sent; what was handed back of it comes along.
  env_.writer.submit(id_, [this, me = self()](persistence::replies back) {
    auto shared = std::make_shared<persistence::replies>(std::move(back));
    loads_.ask(id_.key, [this, me, shared](bool asked, const loaded<Kind>* found) {
      auto what = found ? *found : loaded<Kind>{};
      caf::anon_send(me, make_turn([this, shared, asked, what = std::move(what)] { on_loaded(asked, what, *shared); }));
    });
  });
}

template <class Kind>
void entity<Kind>::on_loaded(bool asked, const loaded<Kind>& found, persistence::replies& back) {
  take_back(back);
  if (!asked) {
    phase_ = phase::absent;
    wake_soon();  // something may have been due, and its timer has fired already
    return give_up(code::not_applied);
  }
  begin(found);
  // The tick for something due may have been lost with the last incarnation.
  if (is_due(decision_time()) && !tick_wanted_ && waiting_.empty())
    wake_soon();
  proceed();
}

/// What was handed back is decided before everything that came later.
template <class Kind>
void entity<Kind>::take_back(persistence::replies& back) {
  std::deque<command_ptr> first;
  for (auto& r : back) {
    auto* reply = dynamic_cast<entity_reply<Kind>*>(r.get());
    if (!reply)
      continue;  // of an effect: the next incarnation asks for it again
    auto q = reply->take_request();
    if (std::exchange(q->lost_name, false)) {
      ++q->lookups;
      resolve_(q);
    } else
      first.push_back(std::move(q));
  }
  waiting_.insert(waiting_.begin(), std::move_iterator{first.begin()}, std::move_iterator{first.end()});
}

template <class Kind>
void entity<Kind>::begin(const loaded<Kind>& from) {
  was_loaded_ = true;
  phase_ = phase::living;
  state_ = from.state ? from.state : std::make_shared<typename Kind::state>(Kind::initial(id_.key));
  seq_ = from.seq;
  hash_ = from.hash;
  last_at_ = from.at;
  stored_due_ = from.stored_due;
  life_ = std::make_shared<persistence::incarnation>(seq_);
  life_->on_cut = [this, me = self()] { caf::anon_send(me, make_turn([this] { on_cut(); })); };
  weigh();
  // What is loaded is committed.
  send_effects(outbox_.update(wanted_effects()));
}

/// Commands were handed back: they need the next incarnation at once, whether anything else waits or not.
template <class Kind>
void entity<Kind>::on_cut() {
  if (life_ && life_->cut)
    drop_state();
  if (phase_ == phase::absent)
    start_loading();
  else if (phase_ == phase::resting)
    fetch_handed_back();
  proceed();
}

/// While this actor may not load, its commands wait here, where their deadlines are watched.
template <class Kind>
void entity<Kind>::fetch_handed_back() {
  hand_over();
  env_.writer.submit(id_, [this, me = self()](persistence::replies back) {
    auto shared = std::make_shared<persistence::replies>(std::move(back));
    caf::anon_send(me, make_turn([this, shared] {
                     take_back(*shared);
                     proceed();
                   }));
  });
}

/// Forgets everything that was not committed; commands that wait for a look-up of their key are decided anew.
template <class Kind>
void entity<Kind>::drop_state() {
  free_state();
  life_.reset();
  phase_ = phase::absent;
  outbox_.clear();
  for (auto& [digest, entry] : keyed_.take_all()) {
    if (!entry.is_new)  // else it waits already, or was decided
      waiting_.push_front(entry.owner);
    for (auto& j : entry.joiners)
      waiting_.push_back(j);
  }
}

template <class Kind>
void entity<Kind>::free_state() {
  // A million entries take a while to free: not in a turn of ours.
  if (metrics_->weight > 1'000'000)
    env_.loaders.submit([s = std::move(state_)](persistence::reader&) mutable { s.reset(); });
  state_.reset();
}

template <class Kind>
void entity<Kind>::crash(const std::exception& e) {
  log_line(log_level::error, "an entity failed and loads again",
           {{"kind", std::string{Kind::name}}, {"key", id_.key}, {"what", e.what()}});
  drop_state();
  phase_ = phase::resting;
  caf::anon_send(supervisor_, crashed_atom::value, id_);
}

template <class Kind>
void entity<Kind>::leave() {
  const bool settled = phase_ == phase::absent || (phase_ == phase::living && !life_->cut && life_->committed == seq_ &&
                                                   keyed_.settled() && outbox_.empty());
  if (!settled || !waiting_.empty() || !waiters_.empty() || tick_wanted_) {
    caf::anon_send(supervisor_, stays_atom::value, id_);
    return;
  }
  free_state();
  metrics_->weight = 0;
  caf::anon_send(supervisor_, left_atom::value, id_);
  quit();
}

template <class Kind>
void entity<Kind>::give_up(code why) {
  for (auto& q : waiters_.take_all())
    turn_away(q, why);
  while (!waiting_.empty()) {
    const auto q = std::move(waiting_.front());
    waiting_.pop_front();
    turn_away(q, why);
  }
  if (std::exchange(tick_wanted_, false))
    wake_soon();
}

}  // namespace callboard::actors
