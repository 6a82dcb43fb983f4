#include "persistence/journal_writer.hpp"

// How submitted appends and loads wait in the lane of their entity, become a batch and leave it again.

namespace callboard::persistence {

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
    // Decided just before the actor could see `down_`: the state that includes it must be dropped.
    if (a.writes() && a.life)
      end_incarnation(*a.life);
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

/// Runs loads that have nothing before them, and removes an empty lane.
void journal_writer::settle(lane& l) {
  while (l.in_flight == 0 && !l.items.empty() && std::holds_alternative<load>(l.items.front())) {
    auto go = std::move(std::get<load>(l.items.front()));
    l.items.pop_front();
    go(std::exchange(l.handed_back, {}));
  }
  if (l.items.empty() && l.in_flight == 0 && l.handed_back.empty() && !l.queued)
    lanes_.erase(lanes_.find(l.of));
}

/// Builds the next batch. True when it had nothing to write and its replies were released: there may be more to take.
bool journal_writer::build() {
  batch_builder builder{how_.batch_events_max, how_.batch_bytes_max};
  // Round robin: each round takes one append of every lane that has one, so that no entity starves the others.
  auto turn = std::exchange(ready_, {});
  std::vector<lane*> waiting;  // lanes whose next item does not fit into this batch
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
  release_flight();  // only replies that depend on what is committed by now
  return true;
}

void journal_writer::release_flight() {
  auto done = std::exchange(flight_, {});
  batch_ = {};
  // All committed seqs are published before any reply is released: an actor that a released caller asks again must see
  // its own commit.
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

/// After a rollback: puts the batch's appends back at the front of their lanes, in order.
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

}  // namespace callboard::persistence
