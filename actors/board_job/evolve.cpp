#include "actors/board_job/rules.hpp"

#include <stdexcept>

namespace callboard::board_job {
namespace {

/// Applies one event to the state and notes what it touched.
struct evolution {
  state& s;
  instant at;
  changes& changed;

  void enter(std::optional<status> from, status to, cause by) {
    if (from != to && !allowed(from, to))
      throw std::logic_error("a job can not move to " + std::string{name(to)});
    s.status = to;
    s.moved_by = by;
    s.updated_at = at;
    changed.job = true;
  }

  run_record& last(const std::string& id) {
    if (!s.last || s.last->id != id)
      throw std::logic_error("an event names run " + id + ", which is not the last one");
    return *s.last;
  }

  void see() {
    s.seen = {at, at};
    changed.job = true;
  }

  void finish(run_record& r, run_status how) {
    r.status = how;
    r.completed_at = at;
    if (s.lock && s.lock->owner == r.id)
      s.lock.reset();
    changed.runs.push_back(r);
  }

  void operator()(const discovered& e) {
    s.exists = true;
    s.gone = false;
    s.what = e.what;
    s.discovered_at = at;
    s.applied_at.reset();
    s.applied_run_id.reset();
    s.late_success = false;
    enter(std::nullopt, status::discovered, cause::seen);
    see();
  }

  void operator()(const updated& e) {
    s.what = e.what;
    s.updated_at = at;
    see();
  }

  void operator()(const seen&) { see(); }

  void operator()(const status_changed& e) {
    enter(s.status, e.to, e.by);
    if (e.by == cause::manual)
      s.late_success = false;  // a person has judged
    if (e.to != status::discovered)
      return;
    s.applied_at.reset();
    s.applied_run_id.reset();
    // Who opened it wants it open: its week begins anew.
    see();
  }

  void operator()(const deleted&) {
    s.gone = true;
    s.updated_at = at;
    changed.job = true;
  }

  void operator()(const claimed& e) {
    if (s.lock)
      throw std::logic_error("a job that is locked was claimed");
    if (e.superseded) {
      auto& before = last(*e.superseded);
      before.ended = failure_reason::superseded;
      changed.runs.push_back(before);
    }
    if (s.last && s.last->status == run_status::success)
      s.successes.insert_or_assign(s.last->id, std::move(*s.last));
    s.claims = e.token;
    s.lock = lease{e.run_id, e.token, seconds{e.ttl_s}, e.expires_at};
    s.last = run_record{e.run_id, e.token, e.variant_id, e.user_id, run_status::pending, {}, at, {}, false, {}};
    enter(s.status, status::queued, cause::manual);
    changed.runs.push_back(*s.last);
  }

  void operator()(const renewed& e) {
    auto& r = last(e.run_id);
    r.status = e.status;
    s.lock.value().until = e.expires_at;
    changed.runs.push_back(r);
  }

  void operator()(const succeeded& e) {
    auto& r = last(e.run_id);
    r.ended.reset();
    r.late = e.late;
    finish(r, run_status::success);
    enter(s.status, status::applied, cause::manual);
    s.applied_at = at;
    s.applied_run_id = e.run_id;
    s.late_success = false;
  }

  void operator()(const failed& e) {
    auto& r = last(e.run_id);
    r.ended = e.why;
    finish(r, run_status::failed);
    enter(s.status, status::discovered, cause::manual);
  }

  /// Once the job is applied to, there is no holder to be warned.
  void operator()(const late_success&) {
    s.late_success = s.status != status::applied;
    changed.job = true;
  }

  void operator()(const annotated& e) {
    const auto it = s.successes.find(e.run_id);
    changed.runs.push_back(it == s.successes.end() ? last(e.run_id) : it->second);
  }
};

}  // namespace

void kind::evolve(state& s, const event& e, instant at, changes& changed) { std::visit(evolution{s, at, changed}, e); }

}  // namespace callboard::board_job
