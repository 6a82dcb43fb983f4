#include "actors/timers.hpp"

#include <algorithm>

namespace callboard::actors {

timers::timers(caf::actor_config& cfg, timekeeper& time, persistence::readers& from, fire how, timer_metrics& metrics)
    : caf::event_based_actor{cfg}, time_{time}, readers_{from}, fire_{std::move(how)}, metrics_{metrics} {}

caf::behavior timers::make_behavior() {
  until_ = time_.now();
  send(this, refill_atom::value);
  return {
      [this](arm_atom, const entity_id& id, std::int64_t due_ms) { arm(id, from_ms(due_ms)); },
      [this](wake_atom, std::uint64_t n) {
        if (n == wakes_)
          wake();
      },
      [this](refill_atom) {
        delayed_send(this, std::chrono::milliseconds{refill_every}, refill_atom::value);
        refill();
      },
      [this](const turn& t) { (*t)(); },
  };
}

void timers::arm(const entity_id& id, instant due) {
  const auto it = due_.find(id);
  if (it != due_.end()) {
    order_.erase({it->second, id});
    due_.erase(it);
  }
  // What is due later than all we hold stands in the store and is read in time.
  if (due <= std::max(until_, time_.now() + horizon)) {
    due_.emplace(id, due);
    order_.emplace(due, id);
  }
  metrics_.waiting = static_cast<std::int64_t>(order_.size());
  schedule_wake();
}

void timers::schedule_wake() {
  if (order_.empty())
    return;
  const auto first = std::max(order_.begin()->first, calm_until_);
  if (next_wake_ && *next_wake_ <= first)
    return;
  next_wake_ = first;
  // Takes the place of one set before: were both to ring, each would set the next, and there would be ever more.
  wakes_ += 1;
  const auto pause = std::max<milliseconds>(milliseconds{0}, first - time_.now());
  delayed_send(this, std::chrono::milliseconds{pause}, wake_atom::value, wakes_);
}

void timers::wake() {
  next_wake_.reset();
  const auto now = time_.now();
  int fired = 0;
  for (; !order_.empty() && order_.begin()->first <= now && fired < ticks_per_turn; ++fired) {
    const auto id = order_.begin()->second;
    order_.erase(order_.begin());
    due_.erase(id);
    fire_(id);
  }
  metrics_.waiting = static_cast<std::int64_t>(order_.size());
  const auto overdue = std::distance(order_.begin(), order_.lower_bound({now + milliseconds{1}, entity_id{}}));
  metrics_.overdue = overdue;
  // A flood of deadlines must not drown the requests.
  if (fired == ticks_per_turn)
    calm_until_ = now + milliseconds{100};
  schedule_wake();
  if (overdue == 0 && until_ <= now)
    refill();
}

void timers::refill() {
  if (refilling_)
    return;
  refilling_ = true;
  auto self = caf::actor_cast<caf::actor>(this);
  const auto until = time_.now() + horizon;
  readers_.submit([this, self, until](persistence::reader& from) {
    std::vector<std::pair<entity_id, instant>> rows;
    bool asked = true;
    try {
      from.query("select kind, key, due from timers where due <= $1 order by due limit $2", {to_ms(until), rows_max},
                 [&](const persistence::result_row& r) {
                   rows.emplace_back(entity_id{known_kind(r.text(0)), std::string{r.text(1)}}, from_ms(r.integer(2)));
                 });
    } catch (const persistence::store_error&) {
      asked = false;
    }
    caf::anon_send(self, make_turn([this, asked, rows = std::move(rows), until] { on_refilled(asked, rows, until); }));
  });
}

/// Only one refill runs at a time, so nobody else touches the set.
std::string_view timers::known_kind(std::string_view name) {
  auto it = kinds_.find(name);
  if (it == kinds_.end())
    it = kinds_.emplace(name).first;
  return *it;
}

void timers::on_refilled(bool asked, const std::vector<std::pair<entity_id, instant>>& rows, instant until) {
  refilling_ = false;
  if (!asked) {
    delayed_send(this, std::chrono::seconds{1}, make_turn([this] { refill(); }));
    return;
  }
  for (const auto& [id, due] : rows) {
    const auto [it, is_new] = due_.try_emplace(id, due);
    if (!is_new && it->second <= due)
      continue;
    if (!is_new)
      order_.erase({it->second, id});
    it->second = due;
    order_.emplace(due, id);
  }
  // A full page ends at its last row; the rest is read when these have fired.
  until_ = static_cast<std::int64_t>(rows.size()) == rows_max ? rows.back().second : until;
  metrics_.waiting = static_cast<std::int64_t>(order_.size());
  schedule_wake();
}

}  // namespace callboard::actors
