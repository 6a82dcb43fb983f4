#pragma once

#include "actors/queue/line.hpp"
#include "base/sql.hpp"
#include "messages/queue/commands.hpp"

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

/// Dead jobs with one fingerprint.
struct dead_set {
  std::string type;
  std::optional<std::string> error_code;
  std::set<std::pair<instant, std::int32_t>> jobs;  ///< by the time they failed for good
};

using timed_slots = std::set<std::pair<instant, std::int32_t>>;

/// Everything a queue decides by. Finished jobs are not in memory. Jobs and lines point to each other, so a state can
/// be moved but not copied.
struct state {
  std::string name;
  bool exists = false;

  bool paused = false;
  std::optional<std::int64_t> max_in_flight;
  std::optional<std::int64_t> rate_per_s;
  std::int64_t aging_s = 60;
  std::optional<key_limit> per_key;

  std::unique_ptr<std::deque<job>> slots = std::make_unique<std::deque<job>>();  ///< a deque: jobs are pointed to
  std::vector<std::int32_t> free_slots;
  std::unordered_map<std::string_view, std::int32_t> by_id;
  std::unordered_map<std::string, std::int32_t> by_unique_key;  ///< of jobs that are not dead

  std::map<std::string, std::unique_ptr<job_type>, std::less<>> types;
  std::set<job_type*, type_before> heads;  ///< types that have a claimable job, by their first line
  std::unordered_map<std::string, std::unique_ptr<flow>> flows;

  timed_slots leases;                                          ///< by the end of the lease
  timed_slots scheduled;                                       ///< by run_at
  timed_slots ttls;                                            ///< pending jobs by the end of their ttl
  timed_slots dead;                                            ///< by the time they failed for good
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

/// The rows that events changed, as they are then, and the parts of new jobs that the journal does not hold.
struct changes {
  std::vector<row> rows;
  std::deque<const new_job*> new_jobs;  ///< of the next event, in order; none while a journal is replayed
};

// How jobs move between the sets and lines of a state; used by `evolve` and by loading.

/// Adds a job that is in no line yet; its id must be new.
job& add_job(state& s, job j, std::string_view type);
/// Removes a job that is in no line.
void drop_job(state& s, job& j);
/// Puts a job into the sets and lines that belong to its status, and takes it out of them.
void enter(state& s, job& j);
void leave(state& s, job& j);
/// Builds every line again, after a change of the settings that order them.
void rebuild_lines(state& s);

/// How many more jobs may be claimed now.
std::int64_t room(const state& s, instant now);

}  // namespace callboard::queue
