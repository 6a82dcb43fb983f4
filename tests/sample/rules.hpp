#pragma once

#include "actors/effect.hpp"
#include "actors/kind.hpp"
#include "tests/sample/messages.hpp"

#include <any>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

/// The rules of the sample kind.
namespace callboard::sample {

/// What another counter was asked for and has not answered.
struct ask {
  std::string target;
  std::int64_t n = 0;
};

/// What another counter asked of this one.
struct receipt {
  std::string from;
  std::int64_t n = 0;
};

struct state {
  std::string key;
  bool exists = false;
  std::int64_t limit = 0;
  std::int64_t sum = 0;
  std::optional<instant> deadline;
  bool fails = false;  ///< when the deadline comes
  std::optional<std::string> name;
  std::int64_t asked = 0;  ///< how often, for the ids of asks
  std::map<std::string, ask> unanswered;
  std::map<std::string, receipt> received;
};

/// Whose rows a decision changed, besides the counter's own.
struct changes {
  bool name = false;
  std::vector<std::string> asks;
  std::vector<std::string> received;
};

struct settings {
  int* lookups = nullptr;  ///< counts the look-ups of lost names
};

counter shown(const state& s);

class front;

struct kind {
  static constexpr std::string_view name = "sample";
  using settings = sample::settings;
  using front = sample::front;
  using state = sample::state;
  using command = sample::command;
  using event = sample::event;
  using tick = sample::tick;
  using changes = sample::changes;
  using result = sample::result;
  using answer = std::variant<result, refusal>;

  static state initial(const std::string& key);
  static answer decide(decision<kind>& d, const command& c);
  static void evolve(state& s, const event& e, instant at, changes& changed);
  static std::optional<instant> deadline(const state& s) { return s.deadline; }
  static std::optional<std::string> subject(const event&) { return std::nullopt; }
  static void rows(const state& s, const changes& changed, std::int64_t version, std::vector<row>& out);
  static std::size_t weight(const state& s);

  // Waiting: see can_wait
  static milliseconds wait_limit(const command& c);
  static bool can_answer(const state& s, const command& c, instant now);
  static bool can_answer_any(const state& s, instant) { return s.sum > 0; }
  /// Only commands add to a sum, never time.
  static std::optional<instant> next_possible_at(const state&, instant) { return std::nullopt; }

  // Effects: see has_outbox
  static std::vector<effect> outbox(const state& s);
  static command heard(const std::string& id, const effect_answer& a);
  /// The work of an ask without a target: doubles the number.
  static std::any perform(const std::any& input, std::stop_token stop, const settings&);

  // In the store (load.cpp)
  static std::unordered_map<std::string, state> load(persistence::reader& from, const std::vector<std::string>& keys);
  static void stored_rows(persistence::reader& from, const std::string& key, const row_sink& sink);
  static void orphaned_rows(persistence::reader& from, const orphan_sink& sink);
  static std::string state_text(persistence::reader& from, state& s, instant at, std::int64_t version);
};

}  // namespace callboard::sample
