#pragma once

#include "messages/board.hpp"
#include "persistence/store.hpp"

#include <optional>
#include <string>
#include <vector>

/// Boards and crawls as lists show them: SQL on rows, no actor is asked.
namespace callboard::board {

/// By id.
std::vector<board> boards_page(persistence::reader& from, const std::string& after, std::int64_t limit);
std::optional<board> find_board(persistence::reader& from, const std::string& id);

struct crawl_place {
  instant started_at;
  std::string board;
  std::int64_t n = 0;
};

/// The newest first.
std::vector<crawl> crawls_page(persistence::reader& from, const std::optional<std::string>& of,
                               const std::optional<crawl_place>& after, std::int64_t limit);
std::optional<crawl> find_crawl(persistence::reader& from, const std::string& board, std::int64_t n);

}  // namespace callboard::board
