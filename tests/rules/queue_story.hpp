#pragma once

#include "actors/queue/rows.hpp"
#include "actors/queue/rules.hpp"
#include "messages/event_codec.hpp"
#include "messages/queue/payload.hpp"
#include "tests/rules/row_store.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callboard::tests {

using namespace std::chrono_literals;

/// The rows of one queue, and what a restarted server would load from them.
class queue_store : public row_store {
public:
  template <stored Row>
  std::optional<Row> find(const std::string& id) const {
    return row_store::find(&Row::id, id);
  }

  queue::state load() const {
    auto s = queue::from_row(all<queue::queue_row>().at(0));
    for (const auto& r : all<queue::job_row>())
      queue::add_row(s, r);
    return s;
  }
};

/// A state as text: its settings, every job's row, and the order in which all that is ready would be claimed. States of
/// equal text decide alike. What the journal does not hold can be left out.
inline std::string text_of_state(const queue::state& s, instant now, bool with_payload = true) {
  std::map<std::string, std::string> jobs;
  for (const auto& j : *s.slots)
    if (j.type) {
      auto r = queue::live_row(s, j);
      if (!with_payload) {
        r.content = 0;
        r.flow_key.reset();
      }
      jobs[j.id] = to_json(r);
    }
  std::string out = to_json(queue::settings_row(s)) + '\n';
  for (const auto& [id, text] : jobs)
    out += text + '\n';
  out += "dead:";
  for (const auto& [fingerprint, g] : s.dead_groups)
    out += ' ' + fingerprint + 'x' + std::to_string(g.jobs.size());
  out += "\nkeys:";
  std::map<std::string, std::int64_t> keys{s.by_unique_key.begin(), s.by_unique_key.end()};
  for (const auto& [key, slot] : keys)
    out += ' ' + key + '=' + s.at(static_cast<std::int32_t>(slot)).id;
  const auto due = queue::kind::deadline(s);
  out += "\ndue: " + (due ? to_iso(*due) : "never") + "\norder:";
  if (with_payload)
    for (const auto* j : queue::pick(s, std::nullopt, 1'000'000, now))
      out += ' ' + j->id;
  return out + '\n';
}

/// One queue, driven command by command. It does what an entity's shell does.
class queue_story {
public:
  using kind = queue::kind;
  static constexpr instant dawn{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 9h};

  queue_story() : state_{kind::initial("work")} {}

  // Verbs

  kind::answer says(const queue::command& c) {
    settle();
    return decides(c);
  }

  template <class Result>
  Result accepts(const queue::command& c) {
    auto a = says(c);
    if (const auto* no = std::get_if<refusal>(&a))
      FAIL("refused: " << no->message);
    return std::get<Result>(std::get<queue::result>(std::move(a)));
  }

  refusal refuses(code expected, const queue::command& c) {
    settle();
    const auto before = text_of_state(state_, now_);
    auto a = decides(c);
    const auto* no = std::get_if<refusal>(&a);
    if (!no)
      FAIL("was accepted");
    REQUIRE(name(no->what) == name(expected));
    REQUIRE(text_of_state(state_, now_) == before);
    return *no;
  }

  static queue::new_job job(std::string id, std::string type = "mail", std::int64_t weight = 5) {
    queue::new_job j;
    j.id = std::move(id);
    j.type = std::move(type);
    j.weight = weight;
    j.content = static_cast<std::int64_t>(std::hash<std::string>{}(j.type) >> 1) + weight;
    return j;
  }
  queue::accepted enqueues(std::vector<queue::new_job> jobs) {
    return accepts<queue::accepted>(queue::enqueue{std::move(jobs), false});
  }
  void enqueues(const std::string& id, std::string type = "mail", std::int64_t weight = 5) {
    enqueues({job(id, std::move(type), weight)});
  }
  queue::claimed_jobs claim(std::int64_t limit = 1, std::optional<std::vector<std::string>> types = {},
                            std::string worker = "w") {
    return accepts<queue::claimed_jobs>(queue::claim{std::move(worker), std::move(types), limit, 60, 0});
  }
  /// Ids only, as in "a b c".
  std::string claims(std::int64_t limit = 1, std::optional<std::vector<std::string>> types = {}) {
    std::string out;
    for (const auto& j : claim(limit, std::move(types)).jobs)
      out += (out.empty() ? "" : " ") + j.id;
    return out;
  }
  std::int64_t token_of(const std::string& id) const { return state_.find(id)->held->token; }
  queue::job_result completes(const std::string& id) {
    return accepts<queue::job_result>(queue::complete{{{id, token_of(id), {}}}, true});
  }
  queue::fail failure(const std::string& id, std::string error = "broken") const {
    queue::fail f;
    f.id = id;
    f.token = token_of(id);
    f.error = std::move(error);
    return f;
  }
  queue::job_result fails(const std::string& id) { return accepts<queue::job_result>(failure(id)); }
  void configures(queue::configure c) { accepts<queue::settings_view>(std::move(c)); }

  /// Lets time pass, timer by timer.
  void pass(milliseconds t) {
    const auto until = now_ + t;
    for (auto due = kind::deadline(state_); due && *due <= until; due = kind::deadline(state_)) {
      now_ = std::max(now_, *due);
      settle();
    }
    now_ = until;
  }

  // Questions

  std::string status_of(const std::string& id) const {
    if (const auto* j = state_.find(id))
      return std::string{name(j->status)};
    const auto over = rows.find<queue::finished_row>(id);
    return over ? std::string{name(over->status)} : "unknown";
  }
  const queue::state& state() const { return state_; }
  instant now() const { return now_; }
  std::int64_t seq() const { return seq_; }

  /// The journal replayed, and the rows loaded, both give the state.
  void can_be_restored() const {
    auto folded = kind::initial("work");
    for (const auto& [text, at] : journal) {
      queue::changes changed;
      kind::evolve(folded, decode_event<queue::event>(text.type, text.data), at, changed);
    }
    CHECK(text_of_state(folded, now_, false) == text_of_state(state_, now_, false));
    if (state_.exists)
      CHECK(text_of_state(rows.load(), now_) == text_without_rate());
  }

  kind::answer decides(const queue::command& c) {
    decision<kind> d{state_, context<kind>{now_, random, anonymous_principal, settings}, seq_};
    auto answer = kind::decide(d, c);
    seq_ += static_cast<std::int64_t>(d.events.size());
    for (const auto& e : d.events)
      journal.emplace_back(encode_event(e), now_);
    std::vector<row> written = std::move(d.extra_rows);
    if (!d.events.empty())
      kind::rows(state_, d.changed, seq_, written);
    rows.put(written);
    last_events = d.events.size();
    return answer;
  }

  std::vector<std::pair<encoded_event, instant>> journal;
  queue_store rows;
  queue::settings settings{};         ///< what the configuration says
  std::uint64_t random = UINT64_MAX;  ///< of the next decisions: the longest pauses
  std::size_t last_events = 0;

private:
  std::string text_without_rate() const {
    // A restarted queue does not know what was claimed in the last second.
    auto& s = const_cast<queue::state&>(state_);
    const auto claims_kept = std::exchange(s.recent_claims, {});
    auto out = text_of_state(s, now_);
    s.recent_claims = claims_kept;
    return out;
  }

  void settle() {
    for (auto due = kind::deadline(state_); due && *due <= now_; due = kind::deadline(state_)) {
      const auto before = journal.size();
      decides(queue::tick{});
      if (journal.size() == before)
        FAIL("something is due, but a tick does nothing: the shell would spin");
    }
  }

  queue::state state_;
  instant now_ = dawn;
  std::int64_t seq_ = 0;
};

}  // namespace callboard::tests
