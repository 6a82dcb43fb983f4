#include "actors/queue/rules.hpp"

#include <algorithm>
#include <queue>

namespace callboard::queue {
namespace {

/// A position in one line.
struct walker {
  const line* of;
  line::order::const_iterator at;
  bool is_fresh;  ///< at the line's first job: the next line of its type has not been added yet

  const job* next() const { return *at; }
};
struct walker_after {
  bool operator()(const walker& a, const walker& b) const { return precedes(*b.of, b.next(), *a.of, a.next()); }
};

/// Merges lines lazily: a line is added when a job of the line before it has been taken.
class merge {
public:
  explicit merge(const state& s) : state_{s} {}

  void add(const line* l) { walkers_.push({l, l->jobs.begin(), true}); }
  void add_all_types() {
    type_ = state_.heads.begin();
    add_next_type();
  }

  /// Nothing when there is nothing left.
  const job* next() {
    while (!walkers_.empty()) {
      auto w = walkers_.top();
      walkers_.pop();
      if (w.is_fresh)
        add_successors(*w.of);
      if (!has_room(*w.of))
        continue;  // what was picked already reaches the key's limit
      const auto* found = w.next();
      if (w.of->key)
        taken_[w.of->key] += 1;
      w.is_fresh = false;
      if (++w.at != w.of->jobs.end())
        walkers_.push(w);
      return found;
    }
    return nullptr;
  }

private:
  void add_next_type() {
    if (type_ && *type_ != state_.heads.end()) {
      first_ = *(**type_)->ready.begin();
      add(first_);
    }
  }

  void add_successors(const line& l) {
    const auto& ready = l.type.ready;
    auto it = ready.find(const_cast<line*>(&l));
    if (++it != ready.end())
      add(*it);
    // Types are ordered by their first lines, so the next type cannot come before this line.
    if (type_ && &l == first_) {
      ++*type_;
      add_next_type();
    }
  }

  bool has_room(const line& l) const {
    if (!l.key || !state_.per_key)
      return true;
    const auto it = taken_.find(l.key);
    return l.key->in_flight + (it == taken_.end() ? 0 : it->second) < state_.per_key->max_in_flight;
  }

  const state& state_;
  std::priority_queue<walker, std::vector<walker>, walker_after> walkers_;
  std::optional<std::set<job_type*, type_before>::const_iterator>
      type_;                     ///< the last one added, when all types are asked for
  const line* first_ = nullptr;  ///< its first line
  std::unordered_map<const flow*, std::int64_t> taken_;
};

}  // namespace

std::vector<const job*> pick(const state& s, const std::optional<std::vector<std::string>>& types, std::int64_t limit,
                             instant now) {
  limit = std::min(limit, room(s, now));
  merge lines{s};
  if (!types)
    lines.add_all_types();
  else {
    std::set<std::string_view> once;
    for (const auto& name : *types)
      if (const auto it = s.types.find(name);
          once.insert(name).second && it != s.types.end() && !it->second->ready.empty())
        lines.add(*it->second->ready.begin());
  }
  std::vector<const job*> out;
  while (static_cast<std::int64_t>(out.size()) < limit) {
    const auto* j = lines.next();
    if (!j)
      break;
    out.push_back(j);
  }
  return out;
}

}  // namespace callboard::queue
