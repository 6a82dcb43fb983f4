#include "actors/queue/rows.hpp"
#include "actors/queue/rules.hpp"

#include <stdexcept>

namespace callboard::queue {
namespace {

/// Applies one event to the state and notes the rows that it changed.
struct evolution {
  state& s;
  instant at;
  changes& changed;

  job& one(const std::string& id) {
    const auto it = s.by_id.find(id);
    if (it == s.by_id.end())
      throw std::logic_error("an event names job " + id + ", which is finished");
    return s.at(it->second);
  }

  void note_row(const job& j) { changed.rows.push_back(to_row(live_row(s, j))); }

  /// How a job in memory changes its status. `change` runs while the job is in no line and in no timed set, because it
  /// may alter what orders them.
  template <class Change>
  void move_to(job& j, status to, Change&& change) {
    check_move(job_lifecycle, j.status, to);
    leave(s, j);
    j.status = to;
    j.updated_at = at;
    change(j);
    enter(s, j);
    note_row(j);
  }

  void erase_live(const std::string& id) {
    job_row key;
    key.queue = s.name;
    key.id = id;
    changed.rows.push_back(erasure(std::move(key)));
  }

  void forget(job& j) {
    erase_live(j.id);
    leave(s, j);
    drop_job(s, j);
  }

  void finish(const std::string& id, status how) {
    auto& j = one(id);
    check_move(job_lifecycle, j.status, how);
    changed.rows.push_back(to_row(final_row(s, j, how, at)));
    forget(j);
  }

  void operator()(const enqueued& e) {
    for (const auto& n : e.jobs) {
      const new_job* source = nullptr;
      if (!changed.new_jobs.empty()) {
        source = changed.new_jobs.front();
        changed.new_jobs.pop_front();
      }
      const auto first = n.run_at ? status::scheduled : status::pending;
      check_move(job_lifecycle, std::nullopt, first);
      job j;
      j.id = n.id;
      j.status = first;
      j.weight = static_cast<std::int32_t>(n.weight);
      j.max_attempts = static_cast<std::int32_t>(n.max_attempts);
      j.run_at = n.run_at.value_or(at);
      j.created_at = j.updated_at = at;
      if (source)
        j.content = source->content;
      const auto key = source && s.per_key ? flow_key_of(*source, s.per_key->key) : std::nullopt;
      if (n.ttl_s || n.unique_key || key)
        j.cold = std::make_unique<cold_fields>(cold_fields{n.ttl_s, n.unique_key, key, {}, {}});
      auto& added = add_job(s, std::move(j), n.type);
      enter(s, added);
      added.type->enqueued.count(at);
      note_row(added);
    }
  }

  void operator()(const claimed& e) {
    for (const auto& id : e.jobs) {
      auto& j = one(id);
      move_to(j, status::processing, [&](job& x) {
        x.held = std::make_unique<lease>(lease{e.worker, e.token, milliseconds{e.length_ms}, e.until});
        x.claimed_at = at;
      });
      j.type->claimed.count(at);
    }
    if (!s.rate_per_s)
      return;
    while (!s.recent_claims.empty() && s.recent_claims.front().first <= at - seconds{1})
      s.recent_claims.pop_front();
    if (s.recent_claims.empty() || s.recent_claims.back().first != at)
      s.recent_claims.emplace_back(at, 0);
    s.recent_claims.back().second += static_cast<std::int64_t>(e.jobs.size());
  }

  void operator()(const renewed& e) {
    auto& j = one(e.id);
    if (!j.held)
      throw std::logic_error("an event renews the lease of job " + e.id + ", which has none");
    s.leases.erase({j.held->until, j.slot});
    j.held->until = e.until;
    s.leases.emplace(e.until, j.slot);
    j.updated_at = at;
    note_row(j);
  }

  void operator()(const completed& e) {
    for (const auto& id : e.jobs) {
      one(id).type->completed.count(at);
      finish(id, status::complete);
    }
  }

  void operator()(const retried& e) {
    auto& j = one(e.id);
    j.type->failed.count(at);
    move_to(j, status::scheduled, [&](job& x) {
      x.attempts = static_cast<std::int32_t>(e.attempts);
      x.run_at = e.run_at;
    });
  }

  void operator()(const died& e) {
    for (const auto& d : e.jobs) {
      auto& j = one(d.id);
      j.type->failed.count(at);
      move_to(j, status::failed, [&](job& x) {
        x.attempts = static_cast<std::int32_t>(d.attempts);
        x.more().fingerprint = d.fingerprint;
        x.more().error_code = d.error_code;
      });
    }
  }

  void operator()(const released& e) {
    for (const auto& id : e.jobs)
      move_to(one(id), status::pending, [](job&) {});
  }

  void operator()(const lapsed& e) {
    for (const auto& id : e.jobs) {
      auto& j = one(id);
      j.type->failed.count(at);
      move_to(j, status::pending, [](job& x) { x.attempts += 1; });
    }
  }

  void operator()(const matured& e) {
    for (const auto& id : e.jobs)
      move_to(one(id), status::pending, [](job&) {});
  }

  void operator()(const expired& e) {
    for (const auto& id : e.jobs) {
      one(id).type->failed.count(at);
      finish(id, status::failed);
    }
  }

  void operator()(const cancel_requested& e) {
    for (const auto& id : e.jobs) {
      auto& j = one(id);
      j.cancel_requested = true;
      j.updated_at = at;
      note_row(j);
    }
  }

  void operator()(const cancelled& e) {
    for (const auto& id : e.jobs)
      finish(id, status::cancelled);
  }

  void operator()(const redriven& e) {
    for (const auto& r : e.jobs)
      move_to(one(r.id), r.run_at ? status::scheduled : status::pending, [&](job& x) {
        x.attempts = 0;
        x.redrives += 1;
        x.run_at = r.run_at.value_or(at);
        x.claimed_at.reset();
      });
  }

  void operator()(const configured& e) {
    s.paused = e.paused;
    s.max_in_flight = e.max_in_flight;
    s.rate_per_s = e.rate_per_s;
    const bool reorders = s.aging_s != e.aging_s || s.per_key != e.per_key;
    s.aging_s = e.aging_s;
    s.per_key = e.per_key;
    if (reorders)
      rebuild_lines(s);
    changed.rows.push_back(to_row(settings_row(s)));
  }

  void operator()(const purged& e) {
    for (const auto& id : e.jobs) {
      if (const auto it = s.by_id.find(id); it != s.by_id.end()) {
        auto& j = s.at(it->second);
        if (j.status != status::failed)
          throw std::logic_error("an event purges job " + id + ", which is neither finished nor dead");
        forget(j);
      } else {
        finished_row finished;
        finished.queue = s.name;
        finished.id = id;
        changed.rows.push_back(erasure(std::move(finished)));
      }
    }
  }
};

}  // namespace

void kind::evolve(state& s, const event& e, instant at, changes& changed) {
  if (!s.exists) {
    s.exists = true;
    changed.rows.push_back(to_row(settings_row(s)));
  }
  std::visit(evolution{s, at, changed}, e);
}

}  // namespace callboard::queue
