#pragma once

#include "actors/board/state.hpp"
#include "actors/decision.hpp"
#include "messages/board.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The rules of a board: what it is called, and which crawls go through it.
namespace callboard::board {

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
  /// A board waits for nothing.
  static std::optional<instant> deadline(const state&) { return std::nullopt; }
  /// Whom an event is about: the crawl.
  static std::optional<std::string> subject(const event& e);
  static void rows(const state& s, const changes& changed, std::int64_t version, std::vector<row>& out);
  static std::size_t weight(const state& s) { return 500 + s.running.size() * 200; }
};

crawl shown(const std::string& board, const crawl_record& c);

}  // namespace callboard::board
