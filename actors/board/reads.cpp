#include "actors/board/reads.hpp"

#include "actors/board/rows.hpp"
#include "actors/board/rules.hpp"
#include "persistence/rows.hpp"

namespace callboard::board {
namespace {

using persistence::columns;
using persistence::read_row;
using persistence::reader;
using persistence::result_row;
using persistence::sql_param;

const std::string& board_columns() {
  static const std::string sql = "select " + columns<board_row>("b") +
                                 ", h.seq from boards b left join heads h on h.kind = 'board' and h.key = b.id"
                                 " where not b.gone and ";
  return sql;
}

board board_at(const result_row& r) {
  auto b = read_row<board_row>(r);
  return {std::move(b.id), std::move(b.company),
          b.ats,           std::move(b.career_page_url),
          b.created_at,    r.integer(field_count<board_row>)};
}

}  // namespace

std::vector<board> boards_page(reader& from, const std::string& after, std::int64_t limit) {
  static const std::string sql = board_columns() + "b.id > $1 order by b.id limit $2";
  std::vector<board> out;
  from.query(sql, {after, limit}, [&](const result_row& r) { out.push_back(board_at(r)); });
  return out;
}

std::optional<board> find_board(reader& from, const std::string& id) {
  static const std::string sql = board_columns() + "b.id = $1";
  std::optional<board> found;
  from.query(sql, {id}, [&](const result_row& r) { found = board_at(r); });
  return found;
}

std::vector<crawl> crawls_page(reader& from, const std::optional<std::string>& of,
                               const std::optional<crawl_place>& after, std::int64_t limit) {
  std::string sql = "select " + columns<crawl_row>() + " from crawls where true";
  std::vector<sql_param> params;
  const auto value = [&](sql_param p) {
    params.push_back(std::move(p));
    return '$' + std::to_string(params.size());
  };
  if (of)
    sql += " and board = " + value(*of);
  if (after) {
    sql += " and (started_at, board, n) < (" + value(to_ms(after->started_at));
    sql += ", " + value(after->board);
    sql += ", " + value(after->n) + ')';
  }
  sql += " order by started_at desc, board desc, n desc limit " + value(limit);
  std::vector<crawl> out;
  from.query(sql, params, [&](const result_row& r) {
    const auto one = read_row<crawl_row>(r);
    out.push_back(shown(one.board, record_of(one)));
  });
  return out;
}

std::optional<crawl> find_crawl(reader& from, const std::string& board, std::int64_t n) {
  std::optional<crawl> found;
  persistence::select<crawl_row>(from, "where board = $1 and n = $2", {board, n},
                                 [&](const crawl_row& c) { found = shown(c.board, record_of(c)); });
  return found;
}

}  // namespace callboard::board
