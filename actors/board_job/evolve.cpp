#include "actors/board_job/rules.hpp"

#include <stdexcept>

namespace callboard::board_job {
namespace {

/// Applies one event to the state and notes what it changed.
struct evolution {
  state& s;
  instant at;
  changes& changed;

  bool is_there() const { return s.exists && !s.gone; }

  void set_status(status to, cause by) {
    s.status = to;
    s.moved_by = by;
    s.updated_at = at;
    changed.job = true;
  }

  void move_to(status to, cause by) {
    if (!is_there())
      throw_impossible_move(job_lifecycle.noun(), "nothing", name(to));  // only `discovered` makes a job
    check_move(job_lifecycle, s.status, to);
    set_status(to, by);
  }

  run_record& last(const std::string& id) {
    if (!s.last || s.last->id != id)
      throw std::logic_error("an event names run " + id + ", which is not the last one");
    return *s.last;
  }

  void note_sighting() {
    s.seen = {at, at};
    changed.job = true;
  }

  void finish(run_record& r, run_status how) {
    check_move(run_lifecycle, r.status, how);
    r.status = how;
    r.completed_at = at;
    if (s.lock && s.lock->owner == r.id)
      s.lock.reset();
    changed.runs.push_back(r);
  }

  void operator()(const discovered& e) {
    if (is_there())
      throw std::logic_error("a job that exists was discovered");
    check_move(job_lifecycle, std::nullopt, status::discovered);
    s.exists = true;
    s.gone = false;
    s.what = e.what;
    s.discovered_at = at;
    s.applied_at.reset();
    s.applied_run_id.reset();
    s.late_success = false;
    set_status(status::discovered, cause::seen);
    note_sighting();
  }

  void operator()(const updated& e) {
    s.what = e.what;
    s.updated_at = at;
    note_sighting();
  }

  void operator()(const seen&) { note_sighting(); }

  void operator()(const status_changed& e) {
    if (is_there() && e.to == s.status)
      set_status(e.to, e.by);  // a person confirms what happened by itself
    else
      move_to(e.to, e.by);
    if (e.by == cause::manual)
      s.late_success = false;  // a person has decided
    if (e.to != status::discovered)
      return;
    s.applied_at.reset();
    s.applied_run_id.reset();
    // A job that was opened again stays open for the whole time in which a crawl must see it.
    note_sighting();
  }

  void operator()(const deleted&) {
    s.gone = true;
    s.updated_at = at;
    changed.job = true;
  }

  void operator()(const claimed& e) {
    if (s.lock)
      throw std::logic_error("a job that is locked was claimed");
    check_move(run_lifecycle, std::nullopt, run_status::pending);
    move_to(status::queued, cause::manual);
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
    changed.runs.push_back(*s.last);
  }

  void operator()(const renewed& e) {
    auto& r = last(e.run_id);
    if (r.status != e.status)
      check_move(run_lifecycle, r.status, e.status);
    if (!s.lock)
      throw std::logic_error("an event renews run " + e.run_id + ", which holds no lock");
    r.status = e.status;
    s.lock->until = e.expires_at;
    changed.runs.push_back(r);
  }

  void operator()(const succeeded& e) {
    auto& r = last(e.run_id);
    if (r.status == run_status::failed && !r.is_lapsed())
      throw std::logic_error("an event lets run " + e.run_id + " succeed, which failed for good");
    move_to(status::applied, cause::manual);
    r.ended.reset();
    r.late = e.late;
    finish(r, run_status::success);
    s.applied_at = at;
    s.applied_run_id = e.run_id;
    s.late_success = false;
  }

  void operator()(const failed& e) {
    auto& r = last(e.run_id);
    move_to(status::discovered, cause::manual);
    r.ended = e.why;
    finish(r, run_status::failed);
  }

  /// The flag warns the holder of the lock; an applied job has none.
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
