#include "actors/queue/state.hpp"

#include <algorithm>
#include <stdexcept>

namespace callboard::queue {
namespace {

const std::optional<std::string> none;

bool is_at_limit(const state& s, const line& l) {
  return l.key && s.per_key && l.key->in_flight >= s.per_key->max_in_flight;
}

/// Takes a line out of its type's order, and the type out of the queue's. Needed before the line's first job changes,
/// because both are ordered by it.
void unlist(state& s, line& l) {
  if (!l.listed)
    return;
  auto& type = l.type;
  // A type is ordered by its first line only.
  const bool is_first = *type.ready.begin() == &l;
  if (is_first)
    s.heads.erase(&type);
  type.ready.erase(&l);
  l.listed = false;
  if (is_first && !type.ready.empty())
    s.heads.insert(&type);
}

void list(state& s, line& l) {
  if (l.listed || l.jobs.empty() || is_at_limit(s, l))
    return;
  auto& type = l.type;
  const bool becomes_first = type.ready.empty() || line_before{}(&l, *type.ready.begin());
  if (becomes_first && !type.ready.empty())
    s.heads.erase(&type);
  type.ready.insert(&l);
  l.listed = true;
  if (becomes_first)
    s.heads.insert(&type);
}

void relist(state& s, flow& f) {
  for (auto* l : f.lines) {
    if (is_at_limit(s, *l))
      unlist(s, *l);
    else
      list(s, *l);
  }
}

flow* flow_of(state& s, const job& j) {
  const auto& key = j.flow_key();
  if (!key)
    return nullptr;
  auto& f = s.flows[*key];
  if (!f)
    f = std::make_unique<flow>(flow{*key, 0, {}});
  return f.get();
}

void forget_unused(state& s, flow* f) {
  if (f && f->in_flight == 0 && f->lines.empty())
    s.flows.erase(std::string{f->key});
}

line& line_of(state& s, const job& j) {
  auto name = std::to_string(j.weight);
  if (const auto& key = j.flow_key())
    (name += ' ') += *key;
  auto& l = j.type->lines[name];
  if (!l) {
    auto* f = flow_of(s, j);
    l = std::make_unique<line>(name, *j.type, j.weight, f, s.aging_s == 0);
    l->aging_ms = s.aging_s * 1'000;
    if (f)
      f->lines.insert(l.get());
  }
  return *l;
}

void join_line(state& s, job& j) {
  auto& l = line_of(s, j);
  const bool leads = l.jobs.empty() || older{s.aging_s == 0}(&j, l.head());
  if (leads)
    unlist(s, l);
  l.jobs.insert(&j);
  j.in = &l;
  if (leads)
    list(s, l);
}

void leave_line(state& s, job& j) {
  auto& l = *j.in;
  const bool led = l.head() == &j;
  if (led)
    unlist(s, l);
  l.jobs.erase(&j);
  j.in = nullptr;
  if (!l.jobs.empty()) {
    if (led)
      list(s, l);
    return;
  }
  // There is no bound on the number of keys, so the empty line of one is removed.
  if (auto* f = l.key) {
    f->lines.erase(&l);
    l.type.lines.erase(std::string{l.name});
    forget_unused(s, f);
  }
}

/// How many of its type are in its status.
std::int64_t& count_of(job& j) {
  switch (j.status) {
  case status::pending:
    return j.type->pending;
  case status::scheduled:
    return j.type->scheduled;
  case status::processing:
    return j.type->processing;
  default:
    return j.type->dead;
  }
}

std::pair<instant, std::int32_t> ttl_of(const job& j) { return {j.updated_at + seconds{*j.ttl_s()}, j.slot}; }

}  // namespace

const std::optional<std::string>& job::unique_key() const { return cold ? cold->unique_key : none; }
const std::optional<std::string>& job::flow_key() const { return cold ? cold->flow_key : none; }

job& add_job(state& s, job j, std::string_view type) {
  auto it = s.types.find(type);
  if (it == s.types.end()) {
    it = s.types.emplace(std::string{type}, std::make_unique<job_type>()).first;
    it->second->name = type;
  }
  j.type = it->second.get();
  if (s.free_slots.empty()) {
    j.slot = static_cast<std::int32_t>(s.slots->size());
    s.slots->emplace_back();
  } else {
    j.slot = s.free_slots.back();
    s.free_slots.pop_back();
  }
  auto& added = s.at(j.slot);
  added = std::move(j);
  if (!s.by_id.emplace(added.id, added.slot).second)
    throw std::logic_error("job " + added.id + " was added twice");
  return added;
}

void drop_job(state& s, job& j) {
  s.by_id.erase(j.id);
  const auto slot = j.slot;
  j = job{};
  j.slot = slot;
  s.free_slots.push_back(slot);
}

void enter(state& s, job& j) {
  count_of(j) += 1;
  if (j.unique_key() && j.status != status::failed)
    s.by_unique_key[*j.unique_key()] = j.slot;
  switch (j.status) {
  case status::pending:
    join_line(s, j);
    if (j.ttl_s())
      s.ttls.insert(ttl_of(j));
    break;
  case status::scheduled:
    s.scheduled.emplace(j.run_at, j.slot);
    break;
  case status::processing:
    s.leases.emplace(j.held->until, j.slot);
    if (auto* f = flow_of(s, j)) {
      f->in_flight += 1;
      relist(s, *f);
    }
    break;
  default: {
    s.dead.emplace(j.updated_at, j.slot);
    auto& g = s.dead_groups[j.cold->fingerprint];
    g.type = j.type->name;
    g.error_code = j.cold->error_code;
    g.jobs.emplace(j.updated_at, j.slot);
  }
  }
}

void leave(state& s, job& j) {
  count_of(j) -= 1;
  if (j.unique_key() && j.status != status::failed)
    s.by_unique_key.erase(*j.unique_key());
  switch (j.status) {
  case status::pending:
    leave_line(s, j);
    if (j.ttl_s())
      s.ttls.erase(ttl_of(j));
    break;
  case status::scheduled:
    s.scheduled.erase({j.run_at, j.slot});
    break;
  case status::processing:
    s.leases.erase({j.held->until, j.slot});
    j.held.reset();
    if (auto* f = flow_of(s, j)) {
      f->in_flight -= 1;
      relist(s, *f);
      forget_unused(s, f);
    }
    break;
  default: {
    s.dead.erase({j.updated_at, j.slot});
    const auto g = s.dead_groups.find(j.cold->fingerprint);
    g->second.jobs.erase({j.updated_at, j.slot});
    if (g->second.jobs.empty())
      s.dead_groups.erase(g);
    j.cold->fingerprint.clear();
    j.cold->error_code.reset();
  }
  }
}

void rebuild_lines(state& s) {
  std::vector<job*> pending;
  for (auto& j : *s.slots)
    if (j.in) {
      pending.push_back(&j);
      j.in = nullptr;
    }
  s.heads.clear();
  for (auto& [name, type] : s.types) {
    type->ready.clear();
    type->lines.clear();
  }
  for (auto& [key, f] : s.flows)
    f->lines.clear();
  for (auto* j : pending)
    join_line(s, *j);
  std::erase_if(s.flows, [](const auto& f) { return f.second->in_flight == 0 && f.second->lines.empty(); });
}

std::int64_t room(const state& s, instant now) {
  if (s.paused)
    return 0;
  auto left = s.max_in_flight ? *s.max_in_flight - s.in_flight() : INT64_MAX;
  if (s.rate_per_s) {
    auto used = std::int64_t{0};
    for (const auto& [at, n] : s.recent_claims)
      if (at > now - seconds{1})
        used += n;
    left = std::min(left, *s.rate_per_s - used);
  }
  return std::max<std::int64_t>(left, 0);
}

}  // namespace callboard::queue
