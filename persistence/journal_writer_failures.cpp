#include "persistence/journal_writer.hpp"

#include <algorithm>

// What happens to appends, callers and incarnations when a batch does not commit; docs/architecture.md has the table.

namespace callboard::persistence {

using namespace std::chrono_literals;

void journal_writer::lost_heads(const commit_outcome& o) {
  fenced_ += 1;
  how_.on_warning("an entity's head moved: another process has written it", o.why);
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
    return poisoned(o);  // no append carries the reported name, and the same batch would fail again
  take_back();
  // A taken request key needs no new look-up of names: the stored answer is found when the command is decided again.
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
          a->rows.clear();  // an append without an entity has nothing else to write
        }
      }
  for (const auto& e : losers)
    if (const auto it = lanes_.find(e); it != lanes_.end())
      cut(it->second);
}

void journal_writer::poisoned(const commit_outcome& o) {
  if (flight_.size() > 1) {
    // Halve the batch until the refused append is alone: when one half commits, it is in the other.
    suspects_ = flight_.size();
    appends_max_ = suspects_ / 2;
    return take_back();
  }
  poisoned_ += 1;
  how_.on_warning("the store refuses what passed validation", o.why);
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

/// Tries the same batch again after a pause; after `patience` its callers are answered.
void journal_writer::retry_or_give_up(const commit_outcome& o, clock::time_point since) {
  const auto now = how_.now();
  if (!failing_since_) {
    failing_since_ = since;
    how_.on_warning("a batch failed and is tried again", o.why);
  }
  back_off();
  const auto patience_ends = *failing_since_ + how_.patience;
  if (now < patience_ends)
    retry_at_ = std::min(*retry_at_, patience_ends);  // a long pause must not delay the callers' answers
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
    failing_since_ = now - how_.patience;  // still failing: the callers of the next batch are answered at once
    retry_at_ = now + 1s;
  }
  drop_waiting(why);
}

/// Fails every waiting append and drops the incarnations that depend on it. Loads stay and run when the outage is over.
void journal_writer::drop_waiting(code why) {
  std::vector<lane*> all;
  for (auto& [e, l] : lanes_)
    all.push_back(&l);
  for (auto* l : all) {
    std::deque<std::variant<append, load>> kept;
    for (auto& i : l->items) {
      if (auto* a = std::get_if<append>(&i)) {
        if (a->life && a->writes())
          end_incarnation(*a->life);
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

/// Drops every append of the lane's incarnation and keeps its commands for the next one.
void journal_writer::cut(lane& l) {
  std::deque<std::variant<append, load>> kept;
  for (auto& i : l.items) {
    if (auto* a = std::get_if<append>(&i); a && a->life) {
      end_incarnation(*a->life);
      hand_back(&l, *a, false);
    } else
      kept.push_back(std::move(i));
  }
  l.items = std::move(kept);
  settle(l);
}

/// Returns an append's commands: an entity gets them with its next load, anybody else at once.
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

/// Marks the incarnation as cut and tells its actor, once.
void journal_writer::end_incarnation(incarnation& life) {
  if (!life.cut.exchange(true) && life.on_cut)
    life.on_cut();
}

void journal_writer::fail(append& a, code why) {
  for (auto& r : a.replies)
    r->fail(why);
  a.replies.clear();
}

}  // namespace callboard::persistence
