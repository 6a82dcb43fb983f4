#pragma once

#include "actors/board_job/rows.hpp"
#include "actors/board_job/rules.hpp"
#include "messages/event_codec.hpp"
#include "tests/rules/row_store.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callboard::tests::board_jobs {

using namespace std::chrono_literals;
using namespace board_job;
using days = std::chrono::days;

/// When every story begins: 2026-03-01T09:00:00.000Z.
inline constexpr instant dawn{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 9h};

inline description described_as(const std::string& title) {
  return {title, "https://jobs.example.org/7", "Berlin", "Engineering", {"engineering"}, "hash of " + title};
}

inline ingest sight_of(const std::string& title = "Stage manager") { return {described_as(title)}; }

inline claim claim_by(std::string run_id, std::int64_t ttl_s = ttl_s_default) {
  claim c;
  c.run_id = std::move(run_id);
  c.ttl_s = ttl_s;
  return c;
}

inline report heartbeat(std::string run_id) {
  report r;
  r.run_id = std::move(run_id);
  return r;
}
inline report report_of(std::string run_id, run_status status) {
  auto r = heartbeat(std::move(run_id));
  r.status = status;
  return r;
}
inline report success_of(std::string run_id) { return report_of(std::move(run_id), run_status::success); }
inline report failure_of(std::string run_id) { return report_of(std::move(run_id), run_status::failed); }

template <class Command>
struct answer_to_one {
  using type = job;
};
template <>
struct answer_to_one<claim> {
  using type = run;
};
template <>
struct answer_to_one<report> {
  using type = run;
};
template <>
struct answer_to_one<ingest> {
  using type = ingested;
};
template <>
struct answer_to_one<expire_unseen> {
  using type = removed;
};

/// The rows of board jobs, and what a restarted server would load from them.
class board_job_store : public row_store {
public:
  run_row run_of(const std::string& id) const { return find(&run_row::run_id, id).value(); }

  state load() const {
    const auto jobs = all<job_row>();
    const auto seen = all<sighting_row>();
    auto s = from_rows(jobs.at(0), seen.empty() ? std::nullopt : std::optional{seen.at(0).last_seen_at});
    std::map<std::string, std::string> artifacts;
    for (const auto& a : all<artifacts_row>())
      artifacts[a.run_id] = a.artifacts;
    for (const auto& r : all<run_row>())
      if (r.n == s.claims || r.status == run_status::success)
        add_row(s, r, artifacts[r.run_id]);
    return s;
  }
};

/// One job, driven command by command. It does what an entity's shell does: what is due is decided before any command,
/// and each decision's events and rows are kept. Runs are looked up in the rows before a command, as by its caller.
class story {
public:
  explicit story(const std::string& title = "Stage manager") : state_{kind::initial("acme:7")} {
    accepts(sight_of(title));
  }

  template <class Command>
  typename answer_to_one<Command>::type accepts(Command c) {
    auto answer = says(std::move(c));
    if (const auto* no = std::get_if<refusal>(&answer))
      FAIL("refused, " << no->message << so_far());
    return std::get<typename answer_to_one<Command>::type>(std::get<result>(answer));
  }

  template <class Command>
  refusal refuses(code expected, Command c) {
    settle();
    const auto before = state_;
    const auto events = journal.size();
    auto answer = says(std::move(c));
    INFO(so_far());
    REQUIRE(std::holds_alternative<refusal>(answer));
    auto no = std::get<refusal>(answer);
    REQUIRE(name(no.what) == name(expected));
    REQUIRE(journal.size() == events);
    REQUIRE(state_ == before);
    return no;
  }

  /// A refusal that leaves something behind.
  template <class Command>
  refusal refuses_but_notes(code expected, Command c) {
    auto answer = says(std::move(c));
    REQUIRE(std::holds_alternative<refusal>(answer));
    REQUIRE(name(std::get<refusal>(answer).what) == name(expected));
    return std::get<refusal>(answer);
  }

  /// Lets time pass, timer by timer.
  void pass(milliseconds time) {
    told_from_ = journal.size();
    const auto until = now_ + time;
    for (auto due = kind::deadline(state_); due && *due <= until; due = kind::deadline(state_)) {
      now_ = std::max(now_, *due);
      settle();
    }
    now_ = until;
  }

  /// Lets time pass while nobody looks.
  void oversleep(milliseconds time) { now_ += time; }

  /// What happened since the last verb began.
  std::string events_text() const {
    std::string out;
    for (auto i = told_from_; i < journal.size(); ++i) {
      out +=
          (out.empty() ? "" : ", ") + std::visit([](const auto& e) { return std::string{e.type}; }, journal[i].first);
      if (const auto subject = kind::subject(journal[i].first))
        out += ' ' + *subject;
    }
    return out;
  }

  run_row row_of(const std::string& run_id) const { return store.run_of(run_id); }
  board_job::status status() {
    settle();
    return state_.status;
  }
  instant now() const { return now_; }
  const board_job::state& state() const { return state_; }

  /// fold(journal) and load(rows), held against the state.
  void checks_out() const {
    auto folded = kind::initial("acme:7");
    changes ignored;
    for (const auto& [e, at] : journal) {
      const auto [type, data] = encode_event(e);
      kind::evolve(folded, decode_event<event>(type, data), at, ignored);
    }
    INFO(so_far());
    REQUIRE(folded == state_);
    const auto loaded = store.load();
    REQUIRE(loaded == state_);
    REQUIRE(loaded.seen.latest == state_.seen.latest);
    REQUIRE(loaded.last.has_value() == state_.last.has_value());
    if (loaded.last) {
      REQUIRE(loaded.last->payload.artifacts == state_.last->payload.artifacts);
      REQUIRE(loaded.last->payload.error == state_.last->payload.error);
    }
  }

  std::vector<std::pair<event, instant>> journal;
  board_job_store store;

private:
  /// What a caller finds in the rows before it sends a command.
  void look_up(claim& c) {
    for (auto& r : store.all<run_row>())
      if (r.run_id == c.run_id) {
        c.known = known_run{r.board, r.job_id, r.n, r.status, r.ended};
        if (r.ended)
          c.earlier = std::make_shared<const run>(shown(std::move(r), std::nullopt, false));
      }
  }
  void look_up(report& c) {
    for (const auto& r : store.all<run_row>())
      if (r.run_id == c.run_id)
        c.known = known_run{r.board, r.job_id, r.n, r.status, r.ended};
  }
  template <class Command>
  void look_up(Command&) {}

  template <class Command>
  kind::answer says(Command c) {
    told_from_ = journal.size();
    settle();
    if constexpr (requires { c.known; })
      if (!std::is_same_v<Command, claim> || !is_foreign(c))
        look_up(c);
    return decides(std::move(c));
  }
  static bool is_foreign(const claim& c) { return c.known.has_value(); }
  static bool is_foreign(const report&) { return false; }

  kind::answer decides(const command& c) {
    decision<kind> d{state_, now_, static_cast<std::int64_t>(journal.size())};
    auto answer = kind::decide(d, c);
    for (auto& e : d.events)
      journal.emplace_back(std::move(e), now_);
    auto rows = std::move(d.extra_rows);
    if (!d.events.empty())
      kind::rows(state_, d.changed, 0, rows);
    store.put(rows);
    return answer;
  }

  void settle() {
    for (auto due = kind::deadline(state_); due && *due <= now_; due = kind::deadline(state_)) {
      const auto before = journal.size();
      decides(tick{});
      if (journal.size() == before)
        FAIL("something is due, but a tick does nothing: the shell would spin" << so_far());
    }
  }

  std::string so_far() const {
    std::string out = "\nThe story so far, now " + to_iso(now_) + ":\n";
    for (const auto& [e, at] : journal) {
      const auto [type, data] = encode_event(e);
      out += "  " + to_iso(at) + ' ' + std::string{type} + ' ' + data + '\n';
    }
    return out;
  }

  board_job::state state_;
  instant now_ = dawn;
  std::size_t told_from_ = 0;
};

}  // namespace callboard::tests::board_jobs
