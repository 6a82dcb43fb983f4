#pragma once

#include "actors/board_job/state.hpp"
#include "base/sql.hpp"
#include "messages/board_job.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// How a board job rests in the store: one row of its own, one per run, and payload beside them.
namespace callboard::board_job {

struct job_row {
  std::string board;
  std::string job_id;
  bool gone = false;
  std::string title;
  std::string url;
  std::string location;
  std::string department;
  std::string tags;  ///< `,ml,senior,`: a tag is found by its commas
  std::string content_hash;
  board_job::status status = board_job::status::discovered;
  cause moved_by = cause::manual;
  instant discovered_at;
  instant updated_at;
  instant told_seen_at;
  std::optional<instant> applied_at;
  std::optional<std::string> applied_run_id;
  bool late_success = false;
  std::int64_t claims = 0;
  static constexpr std::string_view table_name = "board_jobs";
  static constexpr std::size_t key_columns = 2;
  static constexpr auto fields = std::tuple{field{"board", &job_row::board},
                                            field{"job_id", &job_row::job_id},
                                            field{"gone", &job_row::gone},
                                            field{"title", &job_row::title},
                                            field{"url", &job_row::url},
                                            field{"location", &job_row::location},
                                            field{"department", &job_row::department},
                                            field{"tags", &job_row::tags},
                                            field{"content_hash", &job_row::content_hash},
                                            field{"status", &job_row::status},
                                            field{"moved_by", &job_row::moved_by},
                                            field{"discovered_at", &job_row::discovered_at},
                                            field{"updated_at", &job_row::updated_at},
                                            field{"told_seen_at", &job_row::told_seen_at},
                                            field{"applied_at", &job_row::applied_at},
                                            field{"applied_run_id", &job_row::applied_run_id},
                                            field{"late_success", &job_row::late_success},
                                            field{"claims", &job_row::claims}};
};

/// When a job was really last seen. A row of its own: it changes with every crawl, the rest does not.
struct sighting_row {
  std::string board;
  std::string job_id;
  instant last_seen_at;
  static constexpr std::string_view table_name = "board_job_sightings";
  static constexpr std::size_t key_columns = 2;
  static constexpr auto fields =
      std::tuple{field{"board", &sighting_row::board}, field{"job_id", &sighting_row::job_id},
                 field{"last_seen_at", &sighting_row::last_seen_at, payload{}}};
};

/// The run_id is a name: it belongs to the claim that was made with it first.
struct run_row {
  std::string run_id;
  std::string board;
  std::string job_id;
  std::int64_t n = 0;
  std::optional<std::string> variant_id;
  std::optional<std::string> user_id;
  run_status status = run_status::pending;
  std::optional<failure_reason> ended;
  instant started_at;
  std::optional<instant> completed_at;
  bool late = false;
  std::optional<std::int64_t> lease_ms;  ///< both while it holds the lock
  std::optional<instant> lease_until;
  std::optional<std::string> error;
  std::optional<std::string> confirmation_url;
  static constexpr std::string_view table_name = "runs";
  static constexpr std::size_t key_columns = 1;
  static constexpr std::string_view conflict = "run_id";
  static constexpr std::size_t name_column = 0;
  static constexpr std::string_view owner_predicate =
      "t.board = excluded.board and t.job_id = excluded.job_id and t.n = excluded.n";
  static constexpr bool first_writer_wins = false;
  static constexpr columns_range owner_columns{1, 3};
  static constexpr bool resolve_on_conflict = true;
  static constexpr auto fields = std::tuple{field{"run_id", &run_row::run_id},
                                            field{"board", &run_row::board},
                                            field{"job_id", &run_row::job_id},
                                            field{"n", &run_row::n},
                                            field{"variant_id", &run_row::variant_id},
                                            field{"user_id", &run_row::user_id},
                                            field{"status", &run_row::status},
                                            field{"ended", &run_row::ended},
                                            field{"started_at", &run_row::started_at},
                                            field{"completed_at", &run_row::completed_at},
                                            field{"late", &run_row::late},
                                            field{"lease_ms", &run_row::lease_ms},
                                            field{"lease_until", &run_row::lease_until},
                                            field{"error", &run_row::error, payload{}},
                                            field{"confirmation_url", &run_row::confirmation_url, payload{}}};
};

/// Apart from their run, so that a heartbeat does not write them again.
struct artifacts_row {
  std::string run_id;
  std::string artifacts;
  static constexpr std::string_view table_name = "run_artifacts";
  static constexpr std::size_t key_columns = 1;
  static constexpr auto fields =
      std::tuple{field{"run_id", &artifacts_row::run_id}, field{"artifacts", &artifacts_row::artifacts, payload{}}};
};

std::string joined_tags(const std::vector<std::string>& tags);
std::vector<std::string> split_tags(std::string_view joined);

/// The rows that `changed` touched, as they are now.
void put_rows(const state& s, const changes& changed, std::vector<row>& out);

/// The state again from its rows: first the job, then the runs that it keeps in memory.
state from_rows(const job_row& what, std::optional<instant> last_seen);
void add_row(state& s, const run_row& r, std::string artifacts);

/// As lists show them.
job shown(job_row&& what, instant last_seen, std::int64_t version);
run shown(run_row&& r, std::optional<std::string> artifacts, bool late_success);

}  // namespace callboard::board_job
