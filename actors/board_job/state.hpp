#pragma once

#include "messages/board_job.hpp"
#include "messages/lease.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace callboard::board_job {

/// One run and its payload. The journal does not hold payload, so equality ignores it.
struct run_record {
  std::string id;
  std::int64_t n = 0;  ///< the token of its lease
  std::optional<std::string> variant_id;
  std::optional<std::string> user_id;
  run_status status = run_status::pending;
  std::optional<failure_reason> ended;
  instant started_at;
  std::optional<instant> completed_at;
  bool late = false;

  struct written {
    std::optional<std::string> error;
    std::string artifacts;                        ///< JSON text; empty when there are none
    std::optional<std::string> confirmation_url;  ///< from the artifacts: it proves that the application arrived
    friend bool operator==(const written&, const written&) { return true; }
  } payload;

  bool is_active() const { return status == run_status::pending || status == run_status::submitted; }
  /// Its lock expired and no other run has replaced it: it may still report a success.
  bool is_lapsed() const { return ended == failure_reason::lock_expired; }
  friend bool operator==(const run_record&, const run_record&) = default;
};

/// When a job was last seen. The journal gets only some sightings; rows and memory have the latest.
struct sighting {
  instant journaled;
  instant latest;
  friend bool operator==(const sighting& a, const sighting& b) { return a.journaled == b.journaled; }
};

/// Everything a board job decides by. Failed runs that another run has replaced are only rows.
struct state {
  std::string board;
  std::string job_id;
  bool exists = false;  ///< was ever discovered
  bool gone = false;    ///< deleted since
  description what;
  board_job::status status = board_job::status::discovered;
  cause moved_by = cause::manual;  ///< the cause of its status; only read while expired
  instant discovered_at;
  instant updated_at;
  sighting seen;
  std::optional<instant> applied_at;
  std::optional<std::string> applied_run_id;
  bool late_success = false;

  std::int64_t claims = 0;  ///< ever; the token of the last one
  std::optional<lease> lock;
  std::optional<run_record> last;
  std::map<std::string, run_record> successes;  ///< those before the last run

  friend bool operator==(const state&, const state&) = default;
};

/// What events changed, for the rows.
struct changes {
  bool job = false;
  std::vector<run_record> runs;  ///< as they were after each event
};

}  // namespace callboard::board_job
