#pragma once

#include "actors/kind.hpp"
#include "messages/profile.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The rules of a profile: the last word counts. What it says is payload and passes through.
namespace callboard::profile {

struct state {
  std::string user_id;
  bool exists = false;
  instant updated_at;
  friend bool operator==(const state&, const state&) = default;
};

struct changes {
  std::optional<contents> what;  ///< for the row only
};

struct kind {
  static constexpr std::string_view name = "profile";
  using state = callboard::profile::state;
  using command = callboard::profile::command;
  using event = callboard::profile::event;
  using tick = callboard::profile::tick;
  using changes = callboard::profile::changes;
  using result = callboard::profile::result;
  using answer = std::variant<result, refusal>;

  static state initial(const std::string& key);
  static answer decide(decision<kind>& d, const command& c);
  static void evolve(state& s, const event& e, instant at, changes& changed);
  static std::optional<instant> deadline(const state&) { return std::nullopt; }
  static std::optional<std::string> subject(const event&) { return std::nullopt; }
  static void rows(const state& s, const changes& changed, std::int64_t version, std::vector<row>& out);
  static std::size_t weight(const state&) { return 300; }
  // In the store (load.cpp)
  static std::unordered_map<std::string, state> load(persistence::reader& from, const std::vector<std::string>& keys);
  static void stored_rows(persistence::reader& from, const std::string& key, const row_sink& sink);
  static void orphaned_rows(persistence::reader& from, const orphan_sink& sink);
  static std::string state_text(persistence::reader& from, state& s, instant at, std::int64_t version);
};

/// Tags, answers and resumes are JSON text.
struct profile_row {
  std::string user_id;
  instant updated_at;
  std::string interest_tags;
  std::string default_answers;
  std::string resumes;
  static constexpr std::string_view table_name = "profiles";
  static constexpr std::size_t key_columns = 1;
  static constexpr auto fields =
      std::tuple{field{"user_id", &profile_row::user_id}, field{"updated_at", &profile_row::updated_at},
                 field{"interest_tags", &profile_row::interest_tags, payload{}},
                 field{"default_answers", &profile_row::default_answers, payload{}},
                 field{"resumes", &profile_row::resumes, payload{}}};
};

}  // namespace callboard::profile
