#pragma once

#include "messages/queue/commands.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace callboard::tests {

/// A work queue as the contract tells it, with nothing but a list of jobs that is searched from end to end.
struct queue_model {
  struct job {
    std::string id, type, state = "pending", worker, key, unique_key;
    std::int64_t weight = 5, attempts = 0, max = 4, token = 0, lease_s = 0, ttl_s = 0;
    instant created, eligible, since, until;
    bool flagged = false;
  };

  std::vector<job> jobs;
  std::map<std::string, std::string> over;  ///< how finished ones ended
  instant now;
  bool paused = false;
  std::int64_t aging_s = 60, max_in_flight = 0, rate = 0, per_key = 0;
  std::vector<std::pair<instant, std::int64_t>> claims;

  job* find(const std::string& id) {
    const auto it = std::find_if(jobs.begin(), jobs.end(), [&](const job& j) { return j.id == id; });
    return it == jobs.end() ? nullptr : &*it;
  }
  bool is_live(const job& j) const { return j.state != "dead"; }
  job* holder(const std::string& unique_key) {
    for (auto& j : jobs)
      if (!unique_key.empty() && j.unique_key == unique_key && is_live(j))
        return &j;
    return nullptr;
  }
  std::int64_t in_flight(const std::string& key = {}) const {
    return std::count_if(jobs.begin(), jobs.end(),
                         [&](const job& j) { return j.state == "processing" && (key.empty() || j.key == key); });
  }
  void end(const std::string& id, std::string how) {
    over[id] = std::move(how);
    std::erase_if(jobs, [&](const job& j) { return j.id == id; });
  }
  void pend(job& j) {
    j.state = "pending";
    j.since = now;
  }

  /// Everything whose time has come, in the order of its time.
  void settle() {
    for (bool again = true; again;) {
      again = false;
      for (auto& j : jobs) {
        if (j.state == "processing" && j.until <= now) {
          if (j.flagged)
            end(j.id, "cancelled");
          else if (++j.attempts >= j.max)
            j.state = "dead", j.since = now;
          else
            pend(j);
        } else if (j.state == "scheduled" && j.eligible <= now)
          pend(j);
        else if (j.state == "pending" && j.ttl_s > 0 && j.since + seconds{j.ttl_s} <= now)
          end(j.id, "failed");
        else
          continue;
        again = true;
        break;
      }
    }
  }

  /// The first of all that may be claimed, again and again.
  std::vector<std::string> claim(const std::string& worker, const std::optional<std::vector<std::string>>& types,
                                 std::int64_t limit, std::int64_t lease_s, std::int64_t token) {
    std::vector<std::string> out;
    std::int64_t in_last_second = 0;
    for (const auto& [at, n] : claims)
      if (at > now - seconds{1})
        in_last_second += n;
    while (static_cast<std::int64_t>(out.size()) < limit && !paused) {
      if (max_in_flight > 0 && in_flight() >= max_in_flight)
        break;
      if (rate > 0 && in_last_second + static_cast<std::int64_t>(out.size()) >= rate)
        break;
      job* best = nullptr;
      for (auto& j : jobs) {
        const bool wanted = !types || std::find(types->begin(), types->end(), j.type) != types->end();
        const bool free = per_key == 0 || j.key.empty() || in_flight(j.key) < per_key;
        if (j.state == "pending" && wanted && free && (!best || comes_first(j, *best)))
          best = &j;
      }
      if (!best)
        break;
      best->state = "processing";
      best->worker = worker;
      best->token = token;
      best->lease_s = lease_s;
      best->until = now + seconds{lease_s};
      out.push_back(best->id);
    }
    if (!out.empty() && rate > 0)
      claims.emplace_back(now, static_cast<std::int64_t>(out.size()));
    return out;
  }

  /// weight + waited ÷ aging, the larger first; then the older, then the smaller id.
  bool comes_first(const job& a, const job& b) const {
    const auto worth = [&](const job& j) {
      return aging_s == 0 ? j.weight : j.weight * aging_s * 1'000 + (now - j.eligible).count();
    };
    if (worth(a) != worth(b))
      return worth(a) > worth(b);
    return a.created != b.created ? a.created < b.created : a.id < b.id;
  }
};

}  // namespace callboard::tests
