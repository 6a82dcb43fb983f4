#include "actors/supervisor.hpp"

#include "base/log.hpp"

#include <algorithm>

namespace callboard::actors {

supervisor::supervisor(caf::actor_config& cfg, const kind_hosts& hosts, supervision how, occupancy& all,
                       std::function<time_point()> now)
    : caf::event_based_actor{cfg}, hosts_{hosts}, how_{how}, all_{all}, now_{std::move(now)} {}

caf::behavior supervisor::make_behavior() {
  // Nobody should die but by leaving. Who does all the same is forgotten, and comes back with the next request.
  set_down_handler([this](const caf::down_msg& gone) {
    for (const auto& [id, r] : residents_)
      if (r.actor.address() == gone.source)
        return left(entity_id{id});
  });
  return {
      [this](const request_ptr& r) { forward(r); },
      [this](tick_atom, const entity_id& id) { tick(id); },
      [this](left_atom, const entity_id& id) { left(id); },
      [this](stays_atom, const entity_id& id) { stays(id); },
      [this](crashed_atom, const entity_id& id) { crashed(id); },
      [this](idle_atom, const entity_id& id) {
        if (const auto it = residents_.find(id); it != residents_.end())
          ask_to_leave(it->second);
      },
      [this](const turn& t) { (*t)(); },
      [this](sweep_atom) { sweep(); },
      [this](drain_atom) {
        for (const auto& [id, r] : residents_)
          caf::anon_send(r.actor, drain_atom::value);
      },
  };
}

void supervisor::on_exit() {
  for (auto& [id, r] : residents_)
    caf::anon_send_exit(r.actor, caf::exit_reason::user_shutdown);
  residents_.clear();
}

supervisor::resident* supervisor::find_or_spawn(const entity_id& id) {
  auto it = residents_.find(id);
  if (it == residents_.end()) {
    const auto host = hosts_.find(id.kind);
    if (host == hosts_.end())
      return nullptr;
    resident r;
    r.metrics = std::make_shared<resident_metrics>();
    r.actor = host->second->spawn(id.key, caf::actor_cast<caf::actor>(this), r.metrics);
    monitor(r.actor);
    r.slot = by_use_.insert(by_use_.end(), id);
    it = residents_.emplace(id, std::move(r)).first;
    all_.residents += 1;
    if (!sweeping_) {
      sweeping_ = true;
      delayed_send(this, std::chrono::milliseconds{how_.idle / 4}, sweep_atom::value);
    }
    if (all_.residents > how_.residents_max)
      if (auto oldest = residents_.find(by_use_.front()); oldest != it)
        ask_to_leave(oldest->second);
  }
  it->second.used = now_();
  by_use_.splice(by_use_.end(), by_use_, it->second.slot);
  return &it->second;
}

void supervisor::forward(const request_ptr& r) {
  r->accept(now_());
  auto* to = find_or_spawn(r->target);
  if (!to)
    return r->refuse({code::not_found, "There is no such kind", {}});
  if (to->banned)
    return r->fail(code::entity_quarantined);
  if (!r->is_internal) {
    if (to->metrics->requests.load(std::memory_order_relaxed) >= how_.requests_max)
      return r->fail(code::overloaded);
    r->take_slot({to->metrics, &to->metrics->requests});
  }
  if (to->leaving)
    to->held.push_back(r);
  else
    caf::anon_send(to->actor, r);
}

void supervisor::tick(const entity_id& id) {
  auto* to = find_or_spawn(id);
  if (!to || to->banned)
    return;
  if (to->leaving)
    to->tick_held = true;
  else
    caf::anon_send(to->actor, tick_atom::value);
}

void supervisor::ask_to_leave(resident& r) {
  if (r.leaving || r.banned || !r.crashes.empty())
    return;
  r.leaving = true;
  caf::anon_send(r.actor, leave_atom::value);
}

void supervisor::left(const entity_id& id) {
  const auto it = residents_.find(id);
  if (it == residents_.end())
    return;
  auto gone = std::move(it->second);
  by_use_.erase(gone.slot);
  residents_.erase(it);
  all_.residents -= 1;
  for (const auto& r : gone.held)
    forward(r);
  if (gone.tick_held)
    tick(id);
}

void supervisor::stays(const entity_id& id) {
  const auto it = residents_.find(id);
  if (it == residents_.end())
    return;
  auto& r = it->second;
  r.leaving = false;
  for (const auto& q : std::exchange(r.held, {}))
    caf::anon_send(r.actor, q);
  if (std::exchange(r.tick_held, false))
    caf::anon_send(r.actor, tick_atom::value);
}

void supervisor::crashed(const entity_id& id) {
  const auto it = residents_.find(id);
  if (it == residents_.end())
    return;
  auto& r = it->second;
  const auto now = now_();
  // A quiet minute forgives everything.
  if (r.crashes.empty() || now - r.crashes.back() > how_.crashes_within)
    r.restarts = 0;
  while (!r.crashes.empty() && now - r.crashes.front() > how_.crashes_within)
    r.crashes.pop_front();
  r.crashes.push_back(now);
  const auto count = static_cast<int>(r.crashes.size());
  if (count >= how_.crashes_max) {
    log_line(log_level::error, "an entity is quarantined", {{"kind", std::string{id.kind}}, {"key", id.key}});
    r.banned = true;
    caf::anon_send(r.actor, banned_atom::value);
    // One try after the quarantine; the next failure begins it again.
    delayed_send(this, std::chrono::milliseconds{how_.quarantine}, make_turn([this, id] {
                   const auto again = residents_.find(id);
                   if (again == residents_.end())
                     return;
                   again->second.banned = false;
                   again->second.crashes.assign(static_cast<std::size_t>(how_.crashes_max) - 1, now_());
                   caf::anon_send(again->second.actor, resume_atom::value);
                 }));
    return;
  }
  const auto pause = std::min<milliseconds>(how_.restart_first * (1 << std::min(r.restarts++, 20)), how_.restart_most);
  caf::delayed_anon_send(r.actor, std::chrono::milliseconds{pause}, resume_atom::value);
}

void supervisor::sweep() {
  sweeping_ = !residents_.empty();
  if (!sweeping_)
    return;
  delayed_send(this, std::chrono::milliseconds{how_.idle / 4}, sweep_atom::value);
  const auto now = now_();
  std::int64_t weight = 0;
  for (auto& [id, r] : residents_) {
    weight += r.metrics->weight;
    if (!r.crashes.empty() && !r.banned && now - r.crashes.back() > how_.crashes_within)
      r.crashes.clear();
  }
  auto all = all_.weight += weight - std::exchange(weight_, weight);
  auto excess = all_.residents - how_.residents_max;
  for (const auto& id : by_use_) {
    auto& r = residents_.at(id);
    if (now - r.used < how_.idle && excess <= 0 && all <= how_.weight_max)
      break;
    excess -= 1;
    all -= r.metrics->weight;
    ask_to_leave(r);
  }
}

}  // namespace callboard::actors
