#pragma once

#include "actors/opening/rules.hpp"
#include "base/json_write.hpp"
#include "tests/rules/opening_store.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace callboard::tests {

using namespace std::chrono_literals;
using namespace opening;
using std::chrono::minutes;

inline constexpr std::int64_t job_7 = 7;
/// When every story begins: 2026-03-01T09:00:00.000Z.
inline constexpr instant dawn{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 9h};

inline create slots(std::int64_t capacity) {
  create c;
  c.title = "Stage manager";
  c.capacity = capacity;
  return c;
}
inline create slots_by_offer(std::int64_t capacity) {
  auto c = slots(capacity);
  c.offer_on_apply = true;
  return c;
}

inline update capacity_to(std::int64_t capacity) {
  update u;
  u.capacity = capacity;
  return u;
}
inline update window_to(seconds window) {
  update u;
  u.ack_window_s = window.count();
  return u;
}
inline update turned(phase to) {
  update u;
  u.phase = to;
  return u;
}
inline const update closing = turned(phase::closed);
inline const update reopening = turned(phase::open);

inline apply application_by(std::int64_t applicant) { return {{applicant}, {job_7}, true, {}, {}}; }
inline withdraw leaving(application_id a) { return {a, {}, {}}; }

inline std::string text_of(const event& e) {
  return std::visit([](const auto& one) { return std::string{one.type} + ' ' + to_json(one); }, e);
}

template <class Command>
struct answer_to_one {
  using type = application_result;
};
template <>
struct answer_to_one<create> {
  using type = job;
};
template <>
struct answer_to_one<update> {
  using type = job;
};
template <>
struct answer_to_one<show> {
  using type = job;
};
template <>
struct answer_to_one<show_pipeline> {
  using type = pipeline;
};
template <>
struct answer_to_one<show_queue> {
  using type = opening::queue;
};
template <>
struct answer_to_one<show_summary> {
  using type = summary;
};
template <>
struct answer_to_one<show_application_status> {
  using type = application_statuses;
};
template <class Command>
using answer_to = typename answer_to_one<Command>::type;

/// One opening, driven command by command. It does what an entity's shell does: time never goes back, what is due is
/// decided before any command or question, and each decision's events and rows are kept.
class story {
public:
  struct entry {
    opening::event event;
    instant at;
  };

  explicit story(const create& c = slots(1)) : state_{kind::initial(std::to_string(job_7))} { accepts(c); }
  /// A story that begins in the middle.
  explicit story(opening::state middle) : state_{std::move(middle)} {}

  // Verbs

  template <class Command>
  answer_to<Command> accepts(const Command& c) {
    auto answer = says(c);
    if (const auto* no = std::get_if<refusal>(&answer))
      fail("refused, " + no->message);
    return std::get<answer_to<Command>>(std::get<result>(answer));
  }

  template <class Command>
  refusal refuses(code expected, const Command& c) {
    settle();
    const auto before = state_;
    const auto events_before = journal.size();
    auto answer = says(c);
    auto* no = std::get_if<refusal>(&answer);
    if (!no)
      fail("was accepted");
    INFO(so_far());
    REQUIRE(name(no->what) == name(expected));
    REQUIRE(journal.size() == events_before);
    REQUIRE(state_ == before);
    return *no;
  }

  application_id applies(std::int64_t applicant) { return accepts(application_by(applicant)).application; }

  /// Lets time pass, timer by timer.
  void pass(milliseconds time) {
    begin();
    const auto until = now_ + time;
    for (auto due = kind::deadline(state_); due && *due <= until; due = kind::deadline(state_)) {
      now_ = std::max(now_, *due);
      settle();
    }
    now_ = until;
  }

  /// Lets time pass without timers: whatever came due meanwhile is decided late, at the next command or question.
  void oversleep(milliseconds time) { now_ += time; }

  void wakes_up() {
    begin();
    settle();
  }

  // Questions

  status status_of(application_id a) {
    const auto found = shown_application(a);
    return found ? found->status : status::inactive;
  }

  std::optional<application_status> shown_application(application_id a) {
    const auto all = accepts(show_application_status{{a}}).applications;
    return all.empty() ? std::nullopt : std::optional{all.front()};
  }

  std::vector<application_id> waitlist() {
    std::vector<application_id> out;
    for (const auto& e : accepts(show_queue{}).waitlist)
      out.push_back(e.application);
    return out;
  }

  std::int64_t rank_of(application_id a) const { return state_.applications.at(ordinal_of(a)).rank; }
  application_row row_of(application_id a) const { return store.application(a.value); }
  instant now() const { return now_; }
  const opening::state& state() const { return state_; }
  std::int64_t version() const { return seq_; }

  /// What happened since the last verb began, as in "DECLINED 1, PROMOTED 2".
  std::string events_text() const {
    std::string out;
    for (auto i = told_from_; i < journal.size(); ++i) {
      const auto subject = kind::subject(journal[i].event);
      out +=
          (out.empty() ? "" : ", ") + std::visit([](const auto& e) { return std::string{e.type}; }, journal[i].event);
      if (subject)
        out += ' ' + std::to_string(ordinal_of({std::stoll(*subject)}));
    }
    return out;
  }

  /// The last event of a type.
  template <class Event>
  Event last() const {
    for (auto it = journal.rbegin(); it != journal.rend(); ++it)
      if (const auto* e = std::get_if<Event>(&it->event))
        return *e;
    FAIL("no such event");
    throw std::logic_error("unreachable");
  }

  /// How often a type of event happened.
  template <class Event>
  std::size_t count() const {
    return static_cast<std::size_t>(std::count_if(
        journal.begin(), journal.end(), [](const auto& e) { return std::holds_alternative<Event>(e.event); }));
  }

  /// One decision without anything before it, for questions about single decisions.
  kind::answer decides(const command& c) {
    decision<kind> d{state_, now_, seq_};
    auto answer = kind::decide(d, c);
    seq_ += static_cast<std::int64_t>(d.events.size());
    for (auto& e : d.events)
      journal.push_back({std::move(e), now_});
    rows_changed = 0;
    if (!d.events.empty()) {
      std::vector<row> rows;
      kind::rows(state_, d.changed, seq_, rows);
      rows_changed = rows.size();
      most_rows_changed = std::max(most_rows_changed, rows_changed);
      store.put_distinct(rows);
    }
    extra_rows = std::move(d.extra_rows);
    return answer;
  }

  std::vector<entry> journal;
  opening_store store;
  std::vector<row> extra_rows;        ///< payload rows of the last decision
  std::size_t rows_changed = 0;       ///< by the last decision
  std::size_t most_rows_changed = 0;  ///< by any decision

private:
  void begin() { told_from_ = journal.size(); }

  kind::answer says(const command& c) {
    if (c.index() < command{tick{}}.index())  // a question is no verb
      begin();
    settle();
    return decides(c);
  }

  void settle() {
    for (auto due = kind::deadline(state_); due && *due <= now_; due = kind::deadline(state_)) {
      const auto before = journal.size();
      decides(tick{});
      if (journal.size() == before)
        fail("something is due, but a tick does nothing: the shell would spin");
    }
  }

  std::string so_far() const {
    constexpr std::size_t shown = 40;
    std::string out = "The story so far, now " + to_iso(now_) + ":\n";
    for (auto i = journal.size() > shown ? journal.size() - shown : 0; i < journal.size(); ++i)
      out += "  " + to_iso(journal[i].at) + ' ' + text_of(journal[i].event) + '\n';
    return out;
  }

  [[noreturn]] void fail(const std::string& why) const {
    FAIL(why + "\n" + so_far());
    throw std::logic_error("unreachable");
  }

  opening::state state_;
  instant now_ = dawn;
  std::int64_t seq_ = 0;
  std::size_t told_from_ = 0;
};

}  // namespace callboard::tests
