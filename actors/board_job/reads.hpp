#pragma once

#include "actors/board_job/rows.hpp"
#include "messages/board_job.hpp"
#include "persistence/store.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

/// Board jobs and runs as lists show them: SQL on rows, no actor is asked.
namespace callboard::board_job {

struct job_filter {
  std::optional<std::string> board;
  std::optional<board_job::status> status;
  std::vector<std::vector<std::string>> tags;  ///< of each list a job must have at least one
};

/// Where a list of jobs goes on: behind this one.
struct job_place {
  instant discovered_at;
  std::string board;
  std::string job_id;
};

/// By the time of their discovery.
std::vector<job> jobs_page(persistence::reader& from, const job_filter& f, const job_place& after, std::int64_t limit);
std::optional<job> find_job(persistence::reader& from, const std::string& board, const std::string& job_id);

struct job_name {
  std::string board;
  std::string job_id;
};

/// What can be claimed, the oldest first.
std::vector<job_name> claimable(persistence::reader& from, const job_filter& f, std::int64_t limit);
/// What can be claimed because its lock ran out just now and nobody has decided on it yet.
std::vector<job_name> lapsing(persistence::reader& from, const job_filter& f, instant now, std::int64_t limit);

/// Which jobs these runs belong to; those that nobody used are missing.
std::unordered_map<std::string, known_run> known_runs(persistence::reader& from, std::vector<std::string> run_ids);
/// With its artifacts.
std::optional<run> find_run(persistence::reader& from, const std::string& run_id);

struct run_place {
  instant started_at;
  std::string run_id;
};

/// Runs of a job, or of all jobs with that id, the newest first, without artifacts.
std::vector<run> runs_page(persistence::reader& from, const std::optional<std::string>& board,
                           const std::string& job_id, const std::optional<run_place>& after, std::int64_t limit);
std::optional<std::string> artifacts_of(persistence::reader& from, const std::string& run_id);

/// A success and what shows that it arrived.
struct checked_run {
  std::string run_id;
  std::string board;
  std::string job_id;
  std::optional<std::string> user_id;
  instant completed_at;
  std::optional<std::string> confirmation_url;
  static constexpr auto fields = std::tuple{field{"run_id", &checked_run::run_id},
                                            field{"board", &checked_run::board},
                                            field{"job_id", &checked_run::job_id},
                                            field{"user_id", &checked_run::user_id},
                                            field{"completed_at", &checked_run::completed_at},
                                            field{"confirmation_url", &checked_run::confirmation_url}};
};

struct check_result {
  std::int64_t verified_count = 0;
  std::int64_t unverified_count = 0;
  std::vector<checked_run> verified;
  std::vector<checked_run> unverified;
  static constexpr auto fields =
      std::tuple{field{"verified_count", &check_result::verified_count},
                 field{"unverified_count", &check_result::unverified_count}, field{"verified", &check_result::verified},
                 field{"unverified", &check_result::unverified}};
};

/// All successes, of one board or of all; at most `limit` of each sort are listed, all are counted.
check_result checked_runs(persistence::reader& from, const std::optional<std::string>& board, std::int64_t limit);

/// Discovered jobs of a board that were last seen before a moment.
std::vector<std::string> unseen(persistence::reader& from, const std::string& board, instant before);
/// All jobs of a board that are not deleted.
std::vector<std::string> jobs_of(persistence::reader& from, const std::string& board);
/// One job of a board that is claimed now, if there is one.
std::optional<std::string> claimed_job_of(persistence::reader& from, const std::string& board);

}  // namespace callboard::board_job
