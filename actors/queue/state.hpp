#pragma once

#include "actors/queue/line.hpp"
#include "messages/queue.hpp"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace callboard::queue {

/// Dead jobs that failed alike.
struct dead_set {
  std::string type;
  std::optional<std::string> error_code;
  std::set<std::pair<instant, std::int32_t>> jobs;  ///< when they died, and their slots
};

using timed_slots = std::set<std::pair<instant, std::int32_t>>;

/// Everything a queue decides by. Finished jobs are not here. Jobs point to each other's lines, so a state can be moved
/// but not copied.
struct state {
  std::string name;
  bool exists = false;

  bool paused = false;
  std::optional<std::int64_t> max_in_flight;
  std::optional<std::int64_t> rate_per_s;
  std::int64_t aging_s = 60;
  std::optional<key_limit> per_key;

  std::unique_ptr<std::deque<job>> slots = std::make_unique<std::deque<job>>();  ///< jobs stay where they are
  std::vector<std::int32_t> free_slots;
  std::unordered_map<std::string_view, std::int32_t> by_id;
  std::unordered_map<std::string, std::int32_t> by_unique_key;  ///< of jobs neither finished nor dead

  std::map<std::string, std::unique_ptr<job_type>, std::less<>> types;
  std::set<job_type*, type_before> heads;  ///< types with something ready, by their first job
  std::unordered_map<std::string, std::unique_ptr<flow>> flows;

  timed_slots leases;                                          ///< by their end
  timed_slots scheduled;                                       ///< by their time to run
  timed_slots ttls;                                            ///< of pending ones, by the end of their patience
  timed_slots dead;                                            ///< by the time of their death
  std::map<std::string, dead_set> dead_groups;                 ///< by fingerprint
  std::deque<std::pair<instant, std::int64_t>> recent_claims;  ///< of the last second, while there is a rate

  std::int64_t in_flight() const { return static_cast<std::int64_t>(leases.size()); }
  const job* find(std::string_view id) const {
    const auto it = by_id.find(id);
    return it == by_id.end() ? nullptr : &(*slots)[static_cast<std::size_t>(it->second)];
  }
  const job& at(std::int32_t slot) const { return (*slots)[static_cast<std::size_t>(slot)]; }
  job& at(std::int32_t slot) { return (*slots)[static_cast<std::size_t>(slot)]; }
};

/// What events touched: rows as they are then, and what the journal does not tell about new jobs.
struct changes {
  std::vector<row> rows;
  std::deque<const new_job*> brought;  ///< the next event's jobs, in order; none while a journal is folded
};

// How jobs move through the structures; used by `evolve` and by loading.

/// A new job in memory, not yet in any line.
job& add_job(state& s, job j, std::string_view type);
/// Forgets a job that is in no line.
void drop_job(state& s, job& j);
/// Into the sets and lines that belong to its status, and out of them.
void enter(state& s, job& j);
void leave(state& s, job& j);
/// The settings changed: every line stands anew.
void rebuild_lines(state& s);

/// How many more may be claimed now.
std::int64_t room(const state& s, instant now);

}  // namespace callboard::queue
