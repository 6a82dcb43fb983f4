#include "actors/board/rows.hpp"
#include "actors/board/rules.hpp"
#include "persistence/rows.hpp"

namespace callboard::board {

using persistence::reader;
using persistence::result_row;

std::unordered_map<std::string, state> kind::load(reader& from, const std::vector<std::string>& keys) {
  std::unordered_map<std::string, state> states;
  persistence::select<board_row>(from, "where id = any($1::text[])", {keys},
                                 [&](const board_row& b) { states.emplace(b.id, from_row(b)); });
  persistence::select<crawl_row>(from, "where board = any($1::text[]) and status = 'running'", {keys},
                                 [&](const crawl_row& c) { states.at(c.board).running.emplace(c.n, record_of(c)); });
  return states;
}

void kind::stored_rows(reader& from, const std::string& key, const row_sink& sink) {
  persistence::select<board_row>(from, "where id = $1", {key}, [&](const auto& r) { sink(to_row(r)); });
  persistence::select<crawl_row>(from, "where board = $1", {key}, [&](const auto& r) { sink(to_row(r)); });
}

void kind::orphaned_rows(reader& from, const orphan_sink& sink) {
  from.query("select b.id from boards b left join heads h on h.kind = 'board' and h.key = b.id where h.key is null", {},
             [&](const result_row& r) { sink(board_row::table_name, std::string{r.text(0)}); });
  from.query("select c.board, c.n from crawls c left join boards b on b.id = c.board where b.id is null", {},
             [&](const result_row& r) { sink(crawl_row::table_name, crawl_id(r.text(0), r.integer(1))); });
}

}  // namespace callboard::board
