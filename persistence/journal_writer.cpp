#include "persistence/journal_writer.hpp"

#include <algorithm>

namespace callboard::persistence {

using namespace std::chrono_literals;

journal_writer::journal_writer(store& to, std::int64_t last_batch, options how)
    : store_{to}, how_{std::move(how)}, last_batch_{last_batch}, random_{how_.seed} {}

journal_writer::~journal_writer() { stop(); }

void journal_writer::submit(append a) {
  {
    const std::lock_guard lock{mutex_};
    incoming_.emplace_back(std::move(a));
  }
  wake_.notify_one();
}

void journal_writer::submit(std::vector<append> all) {
  {
    const std::lock_guard lock{mutex_};
    for (auto& a : all)
      incoming_.emplace_back(std::move(a));
  }
  wake_.notify_one();
}

void journal_writer::submit(entity_id behind, load go) {
  {
    const std::lock_guard lock{mutex_};
    incoming_.emplace_back(std::pair{std::move(behind), std::move(go)});
  }
  wake_.notify_one();
}

void journal_writer::submit(chore c) {
  {
    const std::lock_guard lock{mutex_};
    incoming_.emplace_back(std::move(c));
  }
  wake_.notify_one();
}

void journal_writer::start() {
  thread_ = std::thread{[this] { run(); }};
}

void journal_writer::stop() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable())
    thread_.join();
}

journal_writer::metrics journal_writer::counted() const { return {commits_, events_, fenced_, poisoned_}; }

void journal_writer::run() {
  for (;;) {
    if (step())
      continue;
    std::unique_lock lock{mutex_};
    const auto something = [this] { return stopping_ || !incoming_.empty(); };
    if (retry_at_)
      wake_.wait_until(lock, std::min(*retry_at_, clock::now() + 100ms));
    else
      wake_.wait_for(lock, 1s, something);
    if (stopping_ && incoming_.empty() && flight_.empty() && ready_.empty())
      return;
    // A store that is away does not keep the process from ending; its callers have been told by then.
    if (stopping_ && callers_notified_)
      return;
  }
}

bool journal_writer::step() {
  bool busy = intake();
  if (flight_.empty() && !in_doubt_) {
    busy = do_chores() || busy;
    busy = build() || busy;
  }
  if (retry_at_ && how_.now() < *retry_at_)
    return busy;
  retry_at_.reset();
  if (!connected_ && (down_ || !flight_.empty() || !chores_.empty())) {
    if (!reconnect()) {
      retry_or_give_up({.how = commit_status::down}, how_.now());
      return busy;
    }
    busy = true;
  }
  if (flight_.empty()) {
    // The store is there but refused for too long: let somebody try again. Patience is used up, so a no comes at once.
    down_ = false;
    return busy;
  }
  attempt();
  return true;
}

bool journal_writer::do_chores() {
  bool busy = false;
  try {
    for (; !chores_.empty() && connected_; chores_.pop_front(), busy = true)
      chores_.front()(store_);
    if (how_.now() - tended_ > 1s && connected_) {
      tended_ = how_.now();
      store_.tend();
    }
  } catch (const store_error& e) {
    how_.on_warning("the store can not be reached", e.what());
    connected_ = false;
    back_off();
  }
  return busy;
}

// What arrives

bool journal_writer::intake() {
  std::vector<item> arrived;
  {
    const std::lock_guard lock{mutex_};
    arrived.swap(incoming_);
  }
  for (auto& i : arrived) {
    if (auto* a = std::get_if<append>(&i))
      receive(std::move(*a));
    else if (auto* l = std::get_if<std::pair<entity_id, load>>(&i))
      receive(std::move(l->first), std::move(l->second));
    else
      chores_.push_back(std::move(std::get<chore>(i)));
  }
  return !arrived.empty();
}

journal_writer::lane& journal_writer::lane_of(const entity_id& e) {
  auto& l = lanes_[e];
  if (l.of.key.empty())
    l.of = e;
  return l;
}

void journal_writer::enqueue(lane& l, std::variant<append, load> i) {
  l.items.push_back(std::move(i));
  if (!l.queued) {
    l.queued = true;
    ready_.push_back(&l);
  }
}

void journal_writer::receive(append a) {
  auto& l = lane_of(a.entity);
  const bool alone = l.items.empty() && l.in_flight == 0;
  if (a.life && a.life->cut)
    hand_back(&l, a, false);
  else if (!a.writes() && alone)
    for (auto& r : a.replies)
      r->release();
  else if (down_) {
    // Decided just before it could know; the state that rests on it must go.
    if (a.writes() && a.life)
      end(*a.life);
    fail(a, code::not_applied);
  } else
    enqueue(l, std::move(a));
  settle(l);
}

void journal_writer::receive(entity_id behind, load go) {
  auto& l = lane_of(behind);
  enqueue(l, std::move(go));
  settle(l);
}

/// Lets loads go on that have nothing before them, and forgets lanes with nothing left.
void journal_writer::settle(lane& l) {
  while (l.in_flight == 0 && !l.items.empty() && std::holds_alternative<load>(l.items.front())) {
    auto go = std::move(std::get<load>(l.items.front()));
    l.items.pop_front();
    go(std::exchange(l.handed_back, {}));
  }
  if (l.items.empty() && l.in_flight == 0 && l.handed_back.empty() && !l.queued)
    lanes_.erase(lanes_.find(l.of));
}

// What goes out

/// True when it could release something at once: then there may be more to take.
bool journal_writer::build() {
  batch_builder builder{how_.batch_events_max, how_.batch_bytes_max};
  // Entities in turn: each round takes one append of every lane that has one.
  auto turn = std::exchange(ready_, {});
  std::vector<lane*> waiting;  // their next item has to wait for the next batch
  while (!turn.empty()) {
    auto* l = turn.front();
    turn.pop_front();
    auto* next = l->items.empty() ? nullptr : std::get_if<append>(&l->items.front());
    if (!next && !l->items.empty() && l->in_flight > 0) {
      waiting.push_back(l);
      continue;
    }
    if (!next) {
      l->queued = false;
      settle(*l);
      continue;
    }
    if (builder.size() >= appends_max_ || !builder.take(*next)) {
      waiting.push_back(l);
      continue;
    }
    l->items.pop_front();
    l->in_flight += 1;
    turn.push_back(l);
  }
  ready_.insert(ready_.begin(), waiting.begin(), waiting.end());
  if (builder.empty())
    return false;
  flight_ = builder.finish(last_batch_ + 1, batch_);
  if (builder.writes())
    return false;
  release_flight();  // only answers that rested on what is stored by now
  return true;
}

void journal_writer::attempt() {
  const auto sent = how_.now();
  const auto began = clock::now();
  const auto outcome = store_.commit(batch_);
  switch (outcome.how) {
  case commit_status::committed:
    last_batch_ = batch_.number;
    commits_ += 1;
    how_.committed(std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - began));
    return finish();
  case commit_status::head_moved:
    return lost_heads(outcome);
  case commit_status::name_taken:
    return lost_names(outcome);
  case commit_status::poison:
    return poisoned(outcome);
  case commit_status::backwards:
    return went_backwards();
  case commit_status::unknown:
    how_.on_warning("outcome of a batch is unknown", outcome.why);
    in_doubt_ = true;
    connected_ = false;
    break;
  case commit_status::down:
    connected_ = false;
    break;
  case commit_status::transient:
  case commit_status::full:
    break;
  }
  retry_or_give_up(outcome, sent);
}

void journal_writer::finish() {
  events_ += static_cast<std::int64_t>(batch_.lines.size());
  in_doubt_ = callers_notified_ = false;
  failing_since_.reset();
  pause_ = 0ms;
  down_ = false;
  suspects_ -= std::min(suspects_, flight_.size());
  appends_max_ = suspects_ == 0 ? SIZE_MAX : std::max<std::size_t>(1, suspects_ / 2);
  release_flight();
}

void journal_writer::release_flight() {
  auto done = std::exchange(flight_, {});
  batch_ = {};
  // First everybody may know, then everybody is told: an actor asked by a released caller must see its own commit.
  for (auto& a : done)
    if (a.life && !a.events.empty())
      a.life->committed.store(a.seq(), std::memory_order_release);
  for (auto& a : done) {
    if (a.arm)
      how_.arm(a.entity, *a.arm);
    for (auto& r : a.replies)
      r->release();
  }
  for (auto& a : done) {
    auto& l = lane_of(a.entity);
    l.in_flight -= 1;
    settle(l);
  }
}

/// The batch was rolled back: its appends stand again at the front of their lanes, in order.
void journal_writer::take_back() {
  auto undone = std::exchange(flight_, {});
  batch_ = {};
  in_doubt_ = callers_notified_ = false;
  failing_since_.reset();
  for (auto it = undone.rbegin(); it != undone.rend(); ++it) {
    auto& l = lane_of(it->entity);
    l.in_flight -= 1;
    l.items.push_front(std::move(*it));
    if (!l.queued) {
      l.queued = true;
      ready_.push_front(&l);
    }
  }
}

// When a batch fails

void journal_writer::end(incarnation& life) {
  if (!life.cut.exchange(true) && life.on_cut)
    life.on_cut();
}

void journal_writer::fail(append& a, code why) {
  for (auto& r : a.replies)
    r->fail(why);
  a.replies.clear();
}

void journal_writer::hand_back(lane* l, append& a, bool lost_name) {
  for (auto& r : a.replies) {
    r->undone(lost_name);
    if (a.life)
      l->handed_back.push_back(std::move(r));
    else
      r->again();
  }
  a.replies.clear();
}

/// Drops every append of the lane's incarnation and keeps its commands for the next one.
void journal_writer::cut(lane& l) {
  std::deque<std::variant<append, load>> kept;
  for (auto& i : l.items) {
    if (auto* a = std::get_if<append>(&i); a && a->life) {
      end(*a->life);
      hand_back(&l, *a, false);
    } else
      kept.push_back(std::move(i));
  }
  l.items = std::move(kept);
  settle(l);
}

void journal_writer::lost_heads(const commit_outcome& o) {
  fenced_ += 1;
  how_.on_warning("an entity's head moved without us", o.why);
  take_back();
  for (const auto& e : o.heads)
    cut(lane_of(e));
}

void journal_writer::lost_names(const commit_outcome& o) {
  const auto loses = [&](const row& r) {
    return std::any_of(o.names.begin(), o.names.end(), [&](const taken_name& n) {
      return r.in == n.in && text_of(r.values[r.in->name_column]) == n.name;
    });
  };
  const auto is_lost = [&](const append& a) { return std::any_of(a.rows.begin(), a.rows.end(), loses); };
  if (std::none_of(flight_.begin(), flight_.end(), is_lost))
    return poisoned(o);  // nobody to blame by name: sent again as it is it would fail again
  take_back();
  // Who lost its request's key brought nothing to be resolved again: the stored answer waits for it.
  const auto must_resolve = [&](const append& a) {
    return std::any_of(a.rows.begin(), a.rows.end(),
                       [&](const row& r) { return r.in->resolve_on_conflict && loses(r); });
  };
  std::vector<entity_id> losers;
  for (auto& [e, l] : lanes_)
    for (auto& i : l.items)
      if (auto* a = std::get_if<append>(&i); a && is_lost(*a)) {
        if (a->life) {
          for (auto& r : a->replies)
            r->undone(must_resolve(*a));
          losers.push_back(e);
        } else {
          hand_back(&l, *a, true);
          a->rows.clear();  // nothing is left of it to write
        }
      }
  for (const auto& e : losers)
    if (const auto it = lanes_.find(e); it != lanes_.end())
      cut(it->second);
}

void journal_writer::poisoned(const commit_outcome& o) {
  if (flight_.size() > 1) {
    // Halve until the offender stands alone: when one half goes in, it is in the other.
    suspects_ = flight_.size();
    appends_max_ = suspects_ / 2;
    return take_back();
  }
  poisoned_ += 1;
  how_.on_warning("the store refuses what passed our own checks", o.why);
  suspects_ = 0;
  appends_max_ = SIZE_MAX;
  fail(flight_.front(), code::internal);
  const auto offender = flight_.front().entity;
  take_back();
  auto& l = lane_of(offender);
  if (auto& a = std::get<append>(l.items.front()); !a.life)
    l.items.pop_front();
  cut(l);
}

/// The same batch again after a pause; when it has failed for too long its callers are told.
void journal_writer::retry_or_give_up(const commit_outcome& o, clock::time_point since) {
  const auto now = how_.now();
  if (!failing_since_) {
    failing_since_ = since;
    how_.on_warning("a batch waits for the store", o.why);
  }
  back_off();
  const auto patience_ends = *failing_since_ + how_.patience;
  if (now < patience_ends)
    retry_at_ = std::min(*retry_at_, patience_ends);  // a long pause does not keep its callers waiting for longer
  if (now < patience_ends || callers_notified_)
    return;
  down_ = true;
  const auto why = o.how == commit_status::full ? code::store_full : code::not_applied;
  if (in_doubt_) {
    callers_notified_ = true;
    for (auto& a : flight_) {
      for (auto& r : a.replies)
        r->fail(r->is_write() ? code::outcome_unknown : code::not_applied);
      a.replies.clear();
    }
  } else {
    take_back();
    failing_since_ = now - how_.patience;  // still failing: the next one is told at once
    retry_at_ = now + 1s;
  }
  drop_waiting(why);
}

/// Everything that waits is told no, and the states that rest on it are dropped. Loads stay: they come when it is over.
void journal_writer::drop_waiting(code why) {
  std::vector<lane*> all;
  for (auto& [e, l] : lanes_)
    all.push_back(&l);
  for (auto* l : all) {
    std::deque<std::variant<append, load>> kept;
    for (auto& i : l->items) {
      if (auto* a = std::get_if<append>(&i)) {
        if (a->life && a->writes())
          end(*a->life);
        fail(*a, why);
      } else
        kept.push_back(std::move(i));
    }
    l->items = std::move(kept);
    for (auto& r : l->handed_back)
      r->fail(why);
    l->handed_back.clear();
    settle(*l);
  }
}

void journal_writer::went_backwards() {
  how_.on_warning("the store is not as we left it: everything is loaded anew", {});
  store_generation_ += 1;
  for (auto& a : flight_) {
    for (auto& r : a.replies)
      r->fail(in_doubt_ && r->is_write() ? code::outcome_unknown : code::not_applied);
    a.replies.clear();
  }
  take_back();
  drop_waiting(code::not_applied);
  connected_ = false;
  down_ = true;
}

bool journal_writer::reconnect() {
  try {
    const auto found = store_.reconnect();
    connected_ = true;
    pause_ = 0ms;
    // Behind us: it was restored. Ahead of us: somebody else has written meanwhile. Only a batch in doubt may be one
    // ahead.
    if (found < last_batch_ || found > last_batch_ + (in_doubt_ ? 1 : 0)) {
      went_backwards();
      last_batch_ = found;
      connected_ = true;
    }
    if (flight_.empty())
      failing_since_.reset();
    return true;
  } catch (const store_error& e) {
    how_.on_warning("the store can not be reached", e.what());
    back_off();
    return false;
  }
}

void journal_writer::back_off() {
  pause_ = std::clamp(pause_ * 2, 10ms, connected_ ? 200ms : 2'000ms);
  const auto jitter = std::uniform_int_distribution<int>{50, 100}(random_);
  retry_at_ = how_.now() + pause_ * jitter / 100;
}

}  // namespace callboard::persistence
