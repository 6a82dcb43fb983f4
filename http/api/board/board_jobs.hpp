#pragma once

#include "base/described.hpp"
#include "http/api/pages.hpp"
#include "http/transport/request_context.hpp"
#include "http/transport/schema.hpp"
#include "messages/board_job.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The calls about board jobs: one path, told apart by their bodies and queries.
namespace callboard::http {

/// What a POST may ask for by name.
enum class board_action : std::uint8_t { run, claim_next, retrieve, check };
constexpr std::array<std::string_view, 4> names_of(board_action) { return {"run", "claim_next", "retrieve", "check"}; }

struct retrieve_body {
  board_action action = board_action::retrieve;
  std::optional<std::string> board;
  std::optional<board_job::status> status;
  std::optional<std::string> tag;
  std::optional<std::string> user_id;
  std::optional<std::int64_t> limit;
  static constexpr auto fields = std::tuple{field{"action", &retrieve_body::action},
                                            field{"board", &retrieve_body::board, slug{}},
                                            field{"status", &retrieve_body::status},
                                            field{"tag", &retrieve_body::tag, text{1, 64}},
                                            field{"user_id", &retrieve_body::user_id, board_job::id_bounds},
                                            field{"limit", &retrieve_body::limit, limit_bounds}};
};

struct check_body {
  board_action action = board_action::check;
  std::optional<std::string> board;
  std::optional<std::int64_t> limit;
  static constexpr auto fields =
      std::tuple{field{"action", &check_body::action}, field{"board", &check_body::board, slug{}},
                 field{"limit", &check_body::limit, limit_bounds}};
};

struct status_body {
  std::string board;
  std::string job_id;
  std::string status;
  std::optional<bool> force;
  static constexpr auto fields = std::tuple{
      field{"board", &status_body::board, slug{}}, field{"job_id", &status_body::job_id, board_job::id_bounds},
      field{"status", &status_body::status, text{1, 64}}, field{"force", &status_body::force}};
};

/// A list of jobs: how many, which, and where it goes on.
struct job_list {
  std::int64_t count = 0;
  std::vector<board_job::job> jobs;
  std::optional<std::string> next_cursor;
  static constexpr auto fields = std::tuple{field{"count", &job_list::count}, field{"jobs", &job_list::jobs},
                                            field{"next_cursor", &job_list::next_cursor}};
};

struct retrieved_jobs {
  std::int64_t count = 0;
  std::vector<board_job::job> jobs;
  static constexpr auto fields =
      std::tuple{field{"count", &retrieved_jobs::count}, field{"jobs", &retrieved_jobs::jobs}};
};

/// Runs of a job, newest first, with their artifacts.
struct run_list {
  std::int64_t count = 0;
  rows_text<board_job::run> runs;
  std::optional<std::string> next_cursor;
  static constexpr auto fields = std::tuple{field{"count", &run_list::count}, field{"runs", &run_list::runs},
                                            field{"next_cursor", &run_list::next_cursor}};
};

struct board_jobs_query {
  std::optional<std::int64_t> limit;
  std::optional<std::string> cursor;
  std::optional<std::string> board;
  std::optional<board_job::status> status;
  std::optional<std::string> tag;
  static constexpr auto fields =
      std::tuple{field{"limit", &board_jobs_query::limit, limit_bounds}, field{"cursor", &board_jobs_query::cursor},
                 field{"board", &board_jobs_query::board, slug{}}, field{"status", &board_jobs_query::status},
                 field{"tag", &board_jobs_query::tag}};
};

/// One job.
struct board_job_query {
  std::string board;
  std::string job_id;
  static constexpr auto fields =
      std::tuple{field{"board", &board_job_query::board, slug{}}, field{"id", &board_job_query::job_id}};
};

struct runs_query {
  std::optional<std::int64_t> limit;
  std::optional<std::string> cursor;
  std::string runs_for;  ///< the id of a job
  std::optional<std::string> board;
  static constexpr auto fields =
      std::tuple{field{"limit", &runs_query::limit, limit_bounds}, field{"cursor", &runs_query::cursor},
                 field{"runs_for", &runs_query::runs_for}, field{"board", &runs_query::board, slug{}}};
};

struct board_job_deletion {
  std::string board;
  std::string job_id;
  static constexpr auto fields =
      std::tuple{field{"board", &board_job_deletion::board, slug{}}, field{"job_id", &board_job_deletion::job_id}};
};

task<response> show_board_jobs(request_context& x);
task<response> post_board_jobs(request_context& x);
task<response> patch_board_jobs(request_context& x);
task<response> delete_board_job(request_context& x);

}  // namespace callboard::http
