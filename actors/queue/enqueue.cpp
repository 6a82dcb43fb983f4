#include "actors/queue/decide.hpp"
#include "actors/queue/rows.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace callboard::queue {
namespace {

constexpr std::size_t event_bytes_max = 200 * 1024;

/// What is decided about the jobs of a batch so far. Nothing is written before all of them are accepted: a batch is all
/// or nothing.
struct intake {
  const state& s;
  accepted out{};
  std::vector<const new_job*> fresh{};
  std::unordered_map<std::string_view, const new_job*> by_id{};
  std::unordered_map<std::string_view, const new_job*> by_unique_key{};
  std::vector<problem> problems{};

  status first_status(const new_job& n, instant now) const {
    return n.run_at && *n.run_at > now ? status::scheduled : status::pending;
  }

  /// A job with this id exists: the same one again, or a conflict.
  void add_known(const new_job& n, std::size_t i, std::int64_t content, status st) {
    if (content != n.content)
      problems.push_back({"jobs[" + std::to_string(i) + "].id", "is " + n.id + ", which is a different job already"});
    out.jobs.push_back({n.id, st, true});
  }

  void add(const new_job& n, std::size_t i, instant now) {
    if (const auto* j = s.find(n.id))
      return add_known(n, i, j->content, j->status);
    if (n.finished)
      return add_known(n, i, n.finished->content, n.finished->status);
    if (const auto it = by_id.find(n.id); it != by_id.end())
      return add_known(n, i, it->second->content, first_status(*it->second, now));
    if (n.unique_key) {
      if (const auto it = s.by_unique_key.find(*n.unique_key); it != s.by_unique_key.end()) {
        const auto& other = s.at(it->second);
        out.jobs.push_back({other.id, other.status, true});
        return;
      }
      if (const auto [it, is_first] = by_unique_key.emplace(*n.unique_key, &n); !is_first) {
        out.jobs.push_back({it->second->id, first_status(*it->second, now), true});
        return;
      }
    }
    by_id.emplace(n.id, &n);
    fresh.push_back(&n);
    out.jobs.push_back({n.id, first_status(n, now), false});
  }
};

void write_new(deciding& d, const std::vector<const new_job*>& fresh) {
  for (std::size_t i = 0; i < fresh.size();) {
    enqueued e;
    for (std::size_t bytes = 0; i < fresh.size() && bytes < event_bytes_max; ++i) {
      const auto& n = *fresh[i];
      const bool later = n.run_at && *n.run_at > d.now;
      e.jobs.push_back(
          {n.id, n.type, n.weight, n.max_attempts, later ? n.run_at : std::nullopt, n.ttl_s, n.unique_key});
      bytes += n.id.size() + n.type.size() + (n.unique_key ? n.unique_key->size() : 0) + 150;
      d.changed.new_jobs.push_back(&n);
      d.extra_rows.push_back(to_row(
          payload_row{d.state().name, n.id, n.data_text.value_or("{}"), n.metadata_text.value_or("{}"), n.priority}));
    }
    d.happened(std::move(e));
  }
}

}  // namespace

answer on(deciding& d, const enqueue& c) {
  intake in{d.state()};
  for (std::size_t i = 0; i < c.jobs.size(); ++i)
    in.add(c.jobs[i], i, d.now);
  if (!in.problems.empty())
    return refusal{code::duplicate_job, "A job with this id and other content exists", std::move(in.problems)};
  write_new(d, in.fresh);
  if (!c.is_one)
    return std::move(in.out);
  const auto& first = in.out.jobs.front();
  one_job one{{}, first.deduplicated, false};
  if (const auto* j = d.state().find(first.id))
    one.job = view_of(d.state(), *j);
  else {
    one.is_finished = true;
    one.job.id = first.id;
    one.job.queue = d.state().name;
  }
  return one;
}

}  // namespace callboard::queue
