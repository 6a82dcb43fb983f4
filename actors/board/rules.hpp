#pragma once

#include "actors/board/state.hpp"
#include "actors/kind.hpp"
#include "actors/lifecycle.hpp"
#include "messages/board.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The rules of a board: its description, and its crawls.
namespace callboard::board {

inline constexpr lifecycle<crawl_status> crawl_lifecycle{"a crawl",
                                                         {
                                                             {std::nullopt, crawl_status::running},            // start
                                                             {crawl_status::running, crawl_status::finished},  // end
                                                             {crawl_status::running, crawl_status::failed},    // end
                                                         }};
static_assert(!allowed(crawl_lifecycle, crawl_status::failed, crawl_status::running), "a crawl ends once");

struct kind {
  static constexpr std::string_view name = "board";
  using state = callboard::board::state;
  using command = callboard::board::command;
  using event = callboard::board::event;
  using tick = callboard::board::tick;
  using changes = callboard::board::changes;
  using result = callboard::board::result;
  using answer = std::variant<result, refusal>;

  static state initial(const std::string& key);
  static answer decide(decision<kind>& d, const command& c);
  static void evolve(state& s, const event& e, instant at, changes& changed);
  /// A board has no timers.
  static std::optional<instant> deadline(const state&) { return std::nullopt; }
  /// The crawl that an event is about, for timelines.
  static std::optional<std::string> subject(const event& e);
  static void rows(const state& s, const changes& changed, std::int64_t version, std::vector<row>& out);
  static std::size_t weight(const state& s) { return 500 + s.running.size() * 200; }
  // In the store (load.cpp)
  static std::unordered_map<std::string, state> load(persistence::reader& from, const std::vector<std::string>& keys);
  static void stored_rows(persistence::reader& from, const std::string& key, const row_sink& sink);
  static void orphaned_rows(persistence::reader& from, const orphan_sink& sink);
  static std::string state_text(persistence::reader& from, state& s, instant at, std::int64_t version);
};

crawl shown(const std::string& board, const crawl_record& c);

}  // namespace callboard::board
