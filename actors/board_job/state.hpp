#pragma once

#include "messages/board_job.hpp"
#include "messages/lease.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace callboard::board_job {

/// One run, with what its agent wrote: that is payload, which the journal does not tell and equality does not ask for.
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
    std::optional<std::string> confirmation_url;  ///< of the artifacts: what shows that an application arrived
    friend bool operator==(const written&, const written&) { return true; }
  } payload;

  bool is_active() const { return status == run_status::pending || status == run_status::submitted; }
  /// Lost its lock by time and nobody has come after it: it may still say that it succeeded.
  bool is_lapsed() const { return ended == failure_reason::lock_expired; }
  friend bool operator==(const run_record&, const run_record&) = default;
};

/// When a job was last seen: by what the journal knows, and really. Only rows and this memory know the second.
struct sighting {
  instant told;
  instant latest;
  friend bool operator==(const sighting& a, const sighting& b) { return a.told == b.told; }
};

/// Everything a board job decides by. Runs that failed and have a successor are only rows.
struct state {
  std::string board;
  std::string job_id;
  bool exists = false;  ///< was ever found
  bool gone = false;    ///< and deleted since
  description what;
  board_job::status status = board_job::status::discovered;
  cause moved_by = cause::manual;  ///< what gave it its status; counts while expired
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

/// What events touched, for the rows.
struct changes {
  bool job = false;
  std::vector<run_record> runs;  ///< as they were after each touch; the lock says until when the last one may run
};

}  // namespace callboard::board_job
