#include "actors/board_job/rows.hpp"
#include "actors/board_job/rules.hpp"
#include "persistence/rows.hpp"

namespace callboard::board_job {
namespace {

using persistence::columns;
using persistence::read_row;
using persistence::reader;
using persistence::result_row;

constexpr std::int64_t rows_per_walk = 1'000;

std::optional<instant> time_at(const result_row& r, int i) {
  return r.is_null(i) ? std::nullopt : std::optional{from_ms(r.integer(i))};
}

/// Pairs cannot be a parameter of both stores: the jobs of one board at a time.
std::unordered_map<std::string, std::vector<std::string>> by_board(const std::vector<std::string>& keys) {
  std::unordered_map<std::string, std::vector<std::string>> out;
  for (const auto& k : keys) {
    auto [board, job_id] = parts_of(k);
    out[board].push_back(std::move(job_id));
  }
  return out;
}

void load_board(reader& from, const std::string& board, const std::vector<std::string>& job_ids,
                std::unordered_map<std::string, state>& states) {
  static const std::string jobs_sql = "select " + columns<job_row>("j") +
                                      ", s.last_seen_at from board_jobs j left join board_job_sightings s"
                                      " on s.board = j.board and s.job_id = j.job_id"
                                      " where j.board = $1 and j.job_id = any($2::text[])";
  bool any_runs = false;
  from.query(jobs_sql, {board, job_ids}, [&](const result_row& r) {
    const auto what = read_row<job_row>(r);
    any_runs = any_runs || what.claims > 0;
    states.emplace(key_of(what.board, what.job_id), from_rows(what, time_at(r, field_count<job_row>)));
  });
  if (!any_runs)
    return;
  // What failed and was followed by another run changes no more: only its row knows it.
  static const std::string runs_sql =
      "select " + columns<run_row>("r") +
      ", a.artifacts from runs r join board_jobs j on j.board = r.board and j.job_id = r.job_id"
      " left join run_artifacts a on a.run_id = r.run_id"
      " where r.board = $1 and r.job_id = any($2::text[])"
      " and (r.n = j.claims or r.status = 'success')";
  from.query(runs_sql, {board, job_ids}, [&](const result_row& r) {
    const auto one = read_row<run_row>(r);
    add_row(states.at(key_of(one.board, one.job_id)), one, std::string{r.text(field_count<run_row>)});
  });
}

/// Walks a table by its key and calls the sink for rows whose job has no head.
void each_orphan(reader& from, std::string_view table, std::string_view id,
                 const std::function<void(std::string_view, const std::string&)>& sink) {
  const auto sql = "select t." + std::string{id} + ", t.board, h.key from " + std::string{table} +
                   " t left join heads h on h.kind = 'board_job' and h.key = t.board || ':' || t.job_id"
                   " where (t." +
                   std::string{id} + ", t.board) > ($1, $2) order by t." + std::string{id} + ", t.board limit $3";
  std::string last_id;
  std::string last_board;
  for (std::int64_t rows = rows_per_walk; rows == rows_per_walk;) {
    rows = 0;
    from.query(sql, {last_id, last_board, rows_per_walk}, [&](const result_row& r) {
      ++rows;
      last_id = r.text(0);
      last_board = r.text(1);
      if (r.is_null(2))
        sink(table, last_board + ':' + last_id);
    });
  }
}

}  // namespace

std::unordered_map<std::string, state> kind::load(reader& from, const std::vector<std::string>& keys) {
  std::unordered_map<std::string, state> states;
  for (const auto& [board, job_ids] : by_board(keys))
    load_board(from, board, job_ids, states);
  return states;
}

void kind::stored_rows(reader& from, const std::string& key, const row_sink& sink) {
  const auto [board, job_id] = parts_of(key);
  persistence::select<job_row>(from, "where board = $1 and job_id = $2", {board, job_id},
                               [&](const auto& r) { sink(to_row(r)); });
  persistence::select<run_row>(from, "where board = $1 and job_id = $2", {board, job_id},
                               [&](const auto& r) { sink(to_row(r)); });
}

void kind::orphaned_rows(reader& from, const orphan_sink& sink) {
  each_orphan(from, job_row::table_name, "job_id", sink);
  each_orphan(from, run_row::table_name, "run_id", sink);
}

}  // namespace callboard::board_job
