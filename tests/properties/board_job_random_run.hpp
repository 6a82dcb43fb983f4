#pragma once

#include "tests/rules/board_job_story.hpp"

#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace callboard::tests::board_jobs {

/// What a random story is made of. Numbers are taken modulo what there is when the step comes.
enum class verb : std::uint8_t {
  claim,
  claim_again,
  heartbeat,
  submit,
  succeed,
  fail,
  old_success,
  annotate,
  set_status,
  see,
  change,
  erase,
  crawl,
  wait
};

struct step {
  verb what = verb::wait;
  int whom = 0;
  int much = 0;
};

inline std::ostream& operator<<(std::ostream& out, const step& s) {
  constexpr const char* names[] = {"claim",    "claim_again", "heartbeat", "submit", "succeed", "fail",  "old_success",
                                   "annotate", "set_status",  "see",       "change", "erase",   "crawl", "wait"};
  return out << names[static_cast<int>(s.what)] << '(' << s.whom << ',' << s.much << ')';
}

/// The contract once more in the plainest words: all runs in a list, nothing derived, nothing kept apart.
struct model {
  struct attempt {
    std::string id;
    run_status status = run_status::pending;
    std::string error;
    bool late = false;
    instant until;  ///< counts while active
    milliseconds length{};
    bool is_active() const { return status == run_status::pending || status == run_status::submitted; }
  };

  bool gone = false;
  board_job::status status = board_job::status::discovered;
  bool by_itself = false;  ///< it expired, and no person wanted it
  std::string content = "0";
  instant told_seen = dawn;
  instant seen = dawn;
  std::string applied_run;
  bool late_success = false;
  std::vector<attempt> runs;

  attempt* active() { return !runs.empty() && runs.back().is_active() ? &runs.back() : nullptr; }

  void time_comes(instant now) {
    if (auto* a = active(); a && a->until <= now) {
      a->status = run_status::failed;
      a->error = "lock expired";
      status = board_job::status::discovered;
    }
    if (!gone && !active() && status == board_job::status::discovered && told_seen + 7 * 24h + 1h <= now) {
      status = board_job::status::expired;
      by_itself = true;
    }
  }
};

/// Runs the rules beside the model and compares them after every step.
class random_run {
public:
  random_run() { decide(sight_of("0")); }

  void take(const step& s) {
    if (s.what == verb::wait)
      return wait(s);
    settle();
    history_ << s << '\n';
    act(s);
    compare();
  }

  std::string history() const { return history_.str(); }

private:
  using outcome = std::optional<code>;  ///< nothing: it was accepted

  void wait(const step& s) {
    constexpr milliseconds spans[] = {1s, 29s, 30s, 61s, 5min, 1h, 1h + 1ms, 24h, 7 * 24h, 8 * 24h};
    now_ += spans[static_cast<std::size_t>(s.much) % std::size(spans)];
    history_ << s << " to " << to_iso(now_) << '\n';
    settle();
    compare();
  }

  void settle() {
    for (auto due = kind::deadline(state_); due && *due <= now_; due = kind::deadline(state_)) {
      const auto before = journal_.size();
      decide(tick{});
      require(journal_.size() > before, "a tick that is due does nothing");
    }
    model_.time_comes(now_);
  }

  void act(const step& s) {
    switch (s.what) {
    case verb::claim:
      return claim_anew(s);
    case verb::claim_again:
      return claim_again(s);
    case verb::heartbeat:
      return tell(s, std::nullopt, last_or(s));
    case verb::submit:
      return tell(s, run_status::submitted, last_or(s));
    case verb::succeed:
      return tell(s, run_status::success, last_or(s));
    case verb::fail:
      return tell(s, run_status::failed, last_or(s));
    case verb::old_success:
      return tell(s, run_status::success, any(s));
    case verb::annotate:
      return annotate(s);
    case verb::set_status:
      return set(s);
    case verb::see:
      return ingest(model_.content);
    case verb::change:
      return ingest(std::to_string(s.much));
    case verb::erase:
      return erase();
    case verb::crawl:
      return crawl(s);
    case verb::wait:
      return;
    }
  }

  model::attempt* any(const step& s) {
    return model_.runs.empty() ? nullptr : &model_.runs[static_cast<std::size_t>(s.whom) % model_.runs.size()];
  }
  /// Mostly the one who holds the job.
  model::attempt* last_or(const step& s) {
    return s.whom % 4 != 0 && !model_.runs.empty() ? &model_.runs.back() : any(s);
  }

  void claim_anew(const step& s) {
    const std::int64_t ttl = s.much % 3 == 0 ? 30 : s.much % 3 == 1 ? 300 : 3'600;
    const auto id = "r" + std::to_string(model_.runs.size() + 1);
    outcome expected;
    if (model_.gone)
      expected = code::not_found;
    else if (model_.active())
      expected = code::already_claimed;
    else if (model_.status != status::discovered)
      expected = code::bad_job_status;
    judge(decide(claim_by(id, ttl)), expected);
    if (expected)
      return;
    if (!model_.runs.empty() && model_.runs.back().error == "lock expired")
      model_.runs.back().error = "superseded";
    model_.runs.push_back({id, run_status::pending, "", false, now_ + seconds{ttl}, seconds{ttl}});
    model_.status = status::queued;
  }

  void claim_again(const step& s) {
    if (const auto* a = any(s))
      judge(decide(looked_up(claim_by(a->id))), model_.gone ? outcome{code::not_found} : outcome{});
  }

  void tell(const step&, std::optional<run_status> to, model::attempt* a) {
    if (!a)
      return;
    auto r = heartbeat(a->id);
    r.status = to;
    const bool is_last = a == &model_.runs.back();
    const bool late = to == run_status::success && is_last && a->error == "lock expired" && !model_.gone;
    const bool known_late = to == run_status::success && !is_last && a->error == "superseded" && !model_.gone &&
                            model_.status != status::applied;
    outcome expected;
    if (!a->is_active() && !late)
      expected = code::stale_run;
    judge(decide(looked_up(r)), expected);
    if (known_late)
      model_.late_success = true;
    if (expected)
      return;
    if (late || to == run_status::success) {
      a->status = run_status::success;
      a->error.clear();
      a->late = late;
      model_.status = status::applied;
      model_.applied_run = a->id;
      model_.late_success = false;
      model_.by_itself = false;
    } else if (to == run_status::failed) {
      a->status = run_status::failed;
      a->error = "said so";
      model_.status = status::discovered;
    } else {
      a->until = now_ + a->length;
      if (to)
        a->status = *to;
    }
  }

  void annotate(const step& s) {
    const auto* a = any(s);
    if (!a || a->is_active())
      return;
    auto r = heartbeat(a->id);
    r.artifacts = R"({"notes":")" + std::to_string(s.much) + R"("})";
    judge(decide(looked_up(r)), a->status == run_status::success ? outcome{} : outcome{code::stale_run});
  }

  void set(const step& s) {
    constexpr status targets[] = {status::discovered, status::expired, status::rejected};
    const auto to = targets[s.whom % 3];
    const bool force = s.much % 2 == 0;
    outcome expected;
    if (model_.gone)
      expected = code::not_found;
    else if (to != model_.status && model_.status == status::applied && !force)
      expected = code::conflict;
    else if (to == status::discovered && model_.status == status::queued)
      expected = code::invalid_transition;
    judge(decide(board_job::set_status{to, force}), expected);
    if (expected)
      return;
    if (to != model_.status || model_.by_itself)
      model_.late_success = false;  // a person has judged
    if (auto* a = model_.active(); a && to != status::discovered) {
      a->status = run_status::failed;
      a->error = "job " + std::string{name(to)};
    }
    if (to == status::discovered && model_.status != to) {
      model_.applied_run.clear();
      model_.seen = model_.told_seen = now_;
    }
    model_.status = to;
    model_.by_itself = false;
  }

  void ingest(const std::string& content) {
    judge(decide(sight_of(content)), {});
    const bool comes_back = !model_.gone && model_.status == status::expired && model_.by_itself;
    if (model_.gone)
      model_.late_success = false;
    if (model_.gone || comes_back) {
      model_.status = status::discovered;
      model_.applied_run.clear();
      model_.by_itself = false;
      model_.told_seen = now_;
    }
    if (content != model_.content || now_ - model_.told_seen > 1h)
      model_.told_seen = now_;
    model_.gone = false;
    model_.content = content;
    model_.seen = now_;
  }

  void erase() {
    const auto expected = model_.gone       ? outcome{code::not_found}
                          : model_.active() ? outcome{code::conflict}
                                            : outcome{};
    judge(decide(board_job::erase{}), expected);
    if (!expected)
      model_.gone = true;
  }

  void crawl(const step& s) {
    const auto since = now_ - minutes{s.much % 120};
    judge(decide(expire_unseen{since}), model_.gone ? outcome{code::not_found} : outcome{});
    if (!model_.gone && model_.status == status::discovered && model_.seen < since) {
      model_.status = status::expired;
      model_.by_itself = true;
    }
  }

  using minutes = std::chrono::minutes;

  // What the door looks up before it sends

  board_job::claim looked_up(board_job::claim c) {
    for (auto& r : store_.all<run_row>())
      if (r.run_id == c.run_id) {
        c.known = known_run{r.board, r.job_id, r.n, r.status, r.ended};
        if (r.ended)
          c.earlier = std::make_shared<const run>(shown(std::move(r), std::nullopt, false));
      }
    return c;
  }
  report looked_up(report c) {
    const auto r = store_.run_of(c.run_id);
    c.known = known_run{r.board, r.job_id, r.n, r.status, r.ended};
    return c;
  }

  kind::answer decide(const command& c) {
    decision<kind> d{state_, now_, static_cast<std::int64_t>(journal_.size())};
    auto answer = kind::decide(d, c);
    for (const auto& e : d.events) {
      const auto [type, data] = encode_event(e);
      history_ << "    " << type << ' ' << data << '\n';
      journal_.emplace_back(e, now_);
      changes ignored;
      kind::evolve(folded_, decode_event<event>(type, data), now_, ignored);
    }
    auto rows = std::move(d.extra_rows);
    if (!d.events.empty())
      kind::rows(state_, d.changed, 0, rows);
    store_.put(rows);
    return answer;
  }

  void judge(const kind::answer& a, const outcome& expected) {
    const auto* no = std::get_if<refusal>(&a);
    const std::string got = no ? std::string{name(no->what)} : "accepted";
    const std::string want = expected ? std::string{name(*expected)} : "accepted";
    require(got == want, "the rules say " + got + ", the contract " + want);
  }

  void compare() {
    require(folded_ == state_, "the journal tells another state");
    const auto loaded = store_.load();
    require(loaded == state_, "the rows hold another state");
    require(loaded.seen.latest == state_.seen.latest, "the rows hold another sighting");
    require(state_.gone == model_.gone, "gone");
    if (!model_.gone)
      require(state_.status == model_.status, "the status is " + std::string{name(state_.status)} +
                                                  ", the contract says " + std::string{name(model_.status)});
    require(state_.seen.latest == model_.seen, "last seen");
    require(state_.applied_run_id.value_or("") == model_.applied_run, "the run that applied");
    require(state_.late_success == model_.late_success, "late success");
    require(state_.claims == static_cast<std::int64_t>(model_.runs.size()), "number of claims");
    compare_runs();
  }

  void compare_runs() {
    int holding = 0;
    for (const auto& r : store_.all<run_row>()) {
      const auto& a = model_.runs.at(static_cast<std::size_t>(r.n) - 1);
      require(r.run_id == a.id, "a run's number");
      require(r.status == a.status, r.run_id + " is " + std::string{name(r.status)});
      require(r.late == a.late, r.run_id + " late");
      const bool is_active = a.is_active();
      require(r.lease_until.has_value() == is_active, r.run_id + ": a lock without a run or a run without a lock");
      if (is_active)
        require(*r.lease_until == a.until, r.run_id + ": its lock ends at another time");
      if (r.ended && *r.ended != failure_reason::reported)
        require(error_of(r.ended, {}) == a.error,
                r.run_id + " says " + error_of(r.ended, {}).value() + ", not " + a.error);
      holding += is_active;
    }
    require(holding <= 1, "two live locks");
    require((state_.status == status::queued) == (holding == 1) || state_.gone, "queued without a run");
  }

  void require(bool holds, const std::string& what) const {
    if (!holds)
      throw std::runtime_error(what);
  }

  board_job::state state_ = kind::initial("acme:7");
  board_job::state folded_ = kind::initial("acme:7");
  std::vector<std::pair<event, instant>> journal_;
  board_job_store store_;
  model model_;
  instant now_ = dawn;
  std::ostringstream history_;
};

}  // namespace callboard::tests::board_jobs
