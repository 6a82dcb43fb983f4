#include "actors/board_job/reads.hpp"

#include "persistence/rows.hpp"

#include <algorithm>

namespace callboard::board_job {
namespace {

using persistence::columns;
using persistence::read_row;
using persistence::reader;
using persistence::result_row;
using persistence::sql_param;

/// A statement that grows with what is asked for; values are always parameters.
class statement {
public:
  explicit statement(std::string text) : text_{std::move(text)} {}

  statement& add(std::string_view words) {
    text_ += words;
    return *this;
  }
  statement& value(sql_param p) {
    params_.push_back(std::move(p));
    text_ += '$' + std::to_string(params_.size());
    return *this;
  }

  template <class Sink>
  void run(reader& from, Sink&& sink) const {
    from.query(text_, params_, std::forward<Sink>(sink));
  }

private:
  std::string text_;
  std::vector<sql_param> params_;
};

/// A pattern for the comma-separated column; `!` takes their meaning from the wildcards.
std::string tag_pattern(std::string_view tag) {
  std::string out = "%,";
  for (const char c : tag) {
    if (c == '%' || c == '_' || c == '!')
      out += '!';
    out += c;
  }
  return out += ",%";
}

void add_tags(statement& sql, const job_filter& f) {
  for (const auto& any_of : f.tags) {
    sql.add(" and (");
    for (const auto& tag : any_of)
      sql.add(&tag == any_of.data() ? "" : " or ").add("j.tags like ").value(tag_pattern(tag)).add(" escape '!'");
    sql.add(")");
  }
}

void add_board(statement& sql, const std::optional<std::string>& board) {
  if (board)
    sql.add(" and j.board = ").value(*board);
}

std::string shown_columns() {
  return "select " + columns<job_row>("j") +
         ", s.last_seen_at, h.seq from board_jobs j"
         " left join board_job_sightings s on s.board = j.board and s.job_id = j.job_id"
         " left join heads h on h.kind = 'board_job' and h.key = j.board || ':' || j.job_id where not j.gone";
}

job shown_at(const result_row& r) {
  constexpr int next = field_count<job_row>;
  auto what = read_row<job_row>(r);
  // Who reopens a job is told to the journal alone.
  const auto seen = r.is_null(next) ? what.told_seen_at : std::max(what.told_seen_at, from_ms(r.integer(next)));
  return shown(std::move(what), seen, r.is_null(next + 1) ? 0 : r.integer(next + 1));
}

std::vector<job_name> names_from(reader& from, const statement& sql) {
  std::vector<job_name> out;
  sql.run(from, [&](const result_row& r) { out.push_back({std::string{r.text(0)}, std::string{r.text(1)}}); });
  return out;
}

const std::string& run_columns() {
  static const std::string sql = "select " + columns<run_row>("r") +
                                 ", j.late_success from runs r"
                                 " left join board_jobs j on j.board = r.board and j.job_id = r.job_id where ";
  return sql;
}

run run_at(const result_row& r) {
  constexpr int next = field_count<run_row>;
  auto one = read_row<run_row>(r);
  const bool late_success = one.lease_until && !r.is_null(next) && r.boolean(next);
  return shown(std::move(one), std::nullopt, late_success);
}

}  // namespace

std::vector<job> jobs_page(reader& from, const job_filter& f, const job_place& after, std::int64_t limit) {
  static const std::string head = shown_columns();
  statement sql{head};
  // One of our own words, not a parameter: how many have it decides which index is good.
  if (f.status)
    sql.add(" and j.status = '").add(name(*f.status)).add("'");
  add_board(sql, f.board);
  add_tags(sql, f);
  if (f.board) {
    // In the order of an index that begins with the board.
    sql.add(" and (j.discovered_at, j.job_id) > (").value(to_ms(after.discovered_at)).add(", ").value(after.job_id);
    sql.add(") order by j.discovered_at, j.job_id limit ").value(limit);
  } else {
    sql.add(" and (j.discovered_at, j.board, j.job_id) > (")
        .value(to_ms(after.discovered_at))
        .add(", ")
        .value(after.board);
    sql.add(", ").value(after.job_id).add(") order by j.discovered_at, j.board, j.job_id limit ").value(limit);
  }
  std::vector<job> out;
  sql.run(from, [&](const result_row& r) { out.push_back(shown_at(r)); });
  return out;
}

std::optional<job> find_job(reader& from, const std::string& board, const std::string& job_id) {
  static const std::string sql = shown_columns() + " and j.board = $1 and j.job_id = $2";
  std::optional<job> found;
  from.query(sql, {board, job_id}, [&](const result_row& r) { found = shown_at(r); });
  return found;
}

std::vector<job_name> claimable(reader& from, const job_filter& f, std::int64_t limit) {
  statement sql{"select j.board, j.job_id from board_jobs j where j.status = 'discovered' and not j.gone"};
  add_board(sql, f.board);
  add_tags(sql, f);
  sql.add(" order by j.discovered_at, j.board, j.job_id limit ").value(limit);
  return names_from(from, sql);
}

std::vector<job_name> lapsing(reader& from, const job_filter& f, instant now, std::int64_t limit) {
  // Few hold a lock: a cross join keeps SQLite from beginning with the jobs, and what is compared with the board is no
  // plain column, lest it begins with all runs of that board.
  statement sql{"select j.board, j.job_id from runs r cross join board_jobs j"
                " where j.board = r.board and j.job_id = r.job_id and r.lease_until is not null and r.lease_until <= "};
  sql.value(to_ms(now)).add(" and j.status = 'queued' and not j.gone");
  if (f.board)
    sql.add(" and j.board || '' = ").value(*f.board);
  add_tags(sql, f);
  sql.add(" order by j.discovered_at, j.board, j.job_id limit ").value(limit);
  return names_from(from, sql);
}

std::unordered_map<std::string, known_run> known_runs(reader& from, std::vector<std::string> run_ids) {
  std::unordered_map<std::string, known_run> out;
  persistence::select<run_row>(from, "where run_id = any($1::text[])", {std::move(run_ids)}, [&](run_row r) {
    out.emplace(std::move(r.run_id), known_run{std::move(r.board), std::move(r.job_id), r.n, r.status, r.ended});
  });
  return out;
}

std::optional<run> find_run(reader& from, const std::string& run_id) {
  static const std::string sql = run_columns() + "r.run_id = $1";
  std::optional<run> found;
  from.query(sql, {run_id}, [&](const result_row& r) { found = run_at(r); });
  if (found)
    if (auto text = artifacts_of(from, run_id))
      found->artifacts = raw_json{std::move(*text)};
  return found;
}

std::vector<run> runs_page(reader& from, const std::optional<std::string>& board, const std::string& job_id,
                           const std::optional<run_place>& after, std::int64_t limit) {
  statement sql{run_columns()};
  sql.add("r.job_id = ").value(job_id);
  if (board)
    sql.add(" and r.board = ").value(*board);
  if (after)
    sql.add(" and (r.started_at, r.run_id) < (")
        .value(to_ms(after->started_at))
        .add(", ")
        .value(after->run_id)
        .add(")");
  sql.add(" order by r.started_at desc, r.run_id desc limit ").value(limit);
  std::vector<run> out;
  sql.run(from, [&](const result_row& r) { out.push_back(run_at(r)); });
  return out;
}

std::optional<std::string> artifacts_of(reader& from, const std::string& run_id) {
  std::optional<std::string> found;
  from.query("select artifacts from run_artifacts where run_id = $1", {run_id},
             [&](const result_row& r) { found = std::string{r.text(0)}; });
  return found;
}

check_result checked_runs(reader& from, const std::optional<std::string>& board, std::int64_t limit) {
  check_result out;
  const auto of_board = [&](statement& sql) {
    if (board)
      sql.add(" and board = ").value(*board);
  };
  statement counts{"select count(confirmation_url), count(*) from runs where status = 'success'"};
  of_board(counts);
  counts.run(from, [&](const result_row& r) {
    out.verified_count = r.integer(0);
    out.unverified_count = r.integer(1) - r.integer(0);
  });
  for (const bool verified : {true, false}) {
    auto& list = verified ? out.verified : out.unverified;
    statement sql{"select " + columns<run_row>() + " from runs where status = 'success' and confirmation_url is "};
    sql.add(verified ? "not null" : "null");
    of_board(sql);
    sql.add(" order by run_id limit ").value(limit);
    sql.run(from, [&](const result_row& r) {
      auto one = read_row<run_row>(r);
      list.push_back({std::move(one.run_id), std::move(one.board), std::move(one.job_id), std::move(one.user_id),
                      one.completed_at.value_or(instant{}), std::move(one.confirmation_url)});
    });
  }
  return out;
}

std::vector<std::string> unseen(reader& from, const std::string& board, instant before) {
  std::vector<std::string> out;
  from.query(
      "select j.job_id from board_jobs j left join board_job_sightings s on s.board = j.board and s.job_id = j.job_id"
      " where j.board = $1 and j.status = 'discovered' and not j.gone"
      " and coalesce(s.last_seen_at, j.told_seen_at) < $2",
      {board, to_ms(before)}, [&](const result_row& r) { out.emplace_back(r.text(0)); });
  return out;
}

std::vector<std::string> jobs_of(reader& from, const std::string& board) {
  std::vector<std::string> out;
  from.query("select job_id from board_jobs where board = $1 and not gone", {board},
             [&](const result_row& r) { out.emplace_back(r.text(0)); });
  return out;
}

std::optional<std::string> claimed_job_of(reader& from, const std::string& board) {
  std::optional<std::string> found;
  from.query("select job_id from board_jobs where board = $1 and status = 'queued' and not gone limit 1", {board},
             [&](const result_row& r) { found = std::string{r.text(0)}; });
  return found;
}

}  // namespace callboard::board_job
