#pragma once

#include "base/described.hpp"
#include "base/id.hpp"
#include "base/instant.hpp"
#include "base/json_write.hpp"
#include "base/named.hpp"
#include "messages/outcome.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// The vocabulary of board jobs: found by crawlers, claimed by agents, one run at a time.
namespace callboard::board_job {

enum class status : std::uint8_t { discovered, queued, applied, expired, rejected };
constexpr std::array<std::string_view, 5> names_of(status) {
  return {"discovered", "queued", "applied", "expired", "rejected"};
}

enum class run_status : std::uint8_t { pending, submitted, success, failed };
constexpr std::array<std::string_view, 4> names_of(run_status) { return {"pending", "submitted", "success", "failed"}; }

/// Why a run failed. Only what was reported has a text of its own.
enum class failure_reason : std::uint8_t { reported, lock_expired, superseded, job_expired, job_rejected };
constexpr std::array<std::string_view, 5> names_of(failure_reason) {
  return {"reported", "lock_expired", "superseded", "job_expired", "job_rejected"};
}

/// Who moved a job from one status to another.
enum class cause : std::uint8_t { manual, cleanup, crawl, seen };
constexpr std::array<std::string_view, 4> names_of(cause) { return {"manual", "cleanup", "crawl", "seen"}; }

inline constexpr printable id_bounds{1, 200};
inline constexpr integer_range ttl_bounds{30, 3'600};
inline constexpr std::int64_t ttl_s_default = 300;
inline constexpr text error_bounds{0, 10'000};
inline constexpr std::size_t artifacts_bytes_max = std::size_t{1} << 20;

/// Slugs hold no colon, so a key says where its board ends.
inline std::string key_of(std::string_view board, std::string_view job_id) {
  return std::string{board} + ':' + std::string{job_id};
}
inline std::pair<std::string, std::string> parts_of(const std::string& key) {
  const auto colon = key.find(':');
  return colon == std::string::npos ? std::pair{key, std::string{}}
                                    : std::pair{key.substr(0, colon), key.substr(colon + 1)};
}

/// What a crawler says of a job, and what is derived from it before it comes here.
struct description {
  std::string title;
  std::string url;
  std::string location;
  std::string department;
  std::vector<std::string> tags;
  std::string content_hash;
  static constexpr auto fields =
      std::tuple{field{"title", &description::title},       field{"url", &description::url},
                 field{"location", &description::location}, field{"department", &description::department},
                 field{"tags", &description::tags},         field{"content_hash", &description::content_hash}};
  friend bool operator==(const description&, const description&) = default;
};

// Answers

struct job {
  std::string board;
  std::string job_id;
  std::string title;
  std::string url;
  std::string location;
  std::string department;
  std::vector<std::string> tags;
  std::string content_hash;
  board_job::status status = board_job::status::discovered;
  instant discovered_at;
  instant updated_at;
  instant last_seen_at;
  std::optional<instant> applied_at;
  std::optional<std::string> applied_run_id;
  std::int64_t version = 0;
  static constexpr auto fields = std::tuple{field{"board", &job::board},
                                            field{"job_id", &job::job_id},
                                            field{"title", &job::title},
                                            field{"url", &job::url},
                                            field{"location", &job::location},
                                            field{"department", &job::department},
                                            field{"tags", &job::tags},
                                            field{"content_hash", &job::content_hash},
                                            field{"status", &job::status},
                                            field{"discovered_at", &job::discovered_at},
                                            field{"updated_at", &job::updated_at},
                                            field{"last_seen_at", &job::last_seen_at},
                                            field{"applied_at", &job::applied_at},
                                            field{"applied_run_id", &job::applied_run_id},
                                            field{"version", &job::version}};
};

/// The lock of a run as its agent sees it; no end once it is released.
struct shown_lease {
  std::int64_t token = 0;
  std::optional<instant> expires_at;
  static constexpr auto fields =
      std::tuple{field{"token", &shown_lease::token}, field{"expires_at", &shown_lease::expires_at}};
};

struct run {
  std::string run_id;
  std::string board;
  std::string job_id;
  std::optional<std::string> variant_id;
  std::optional<std::string> user_id;
  run_status status = run_status::pending;
  instant started_at;
  std::optional<instant> completed_at;
  std::optional<std::string> error;
  bool late = false;
  std::optional<raw_json> artifacts;
  shown_lease lease;
  bool late_success = false;  ///< a run that lost its lock before says that it had succeeded
  bool is_new = false;        ///< whether this answer began it
  success how() const { return is_new ? success::created : success::ok; }
  static constexpr auto fields = std::tuple{field{"run_id", &run::run_id},
                                            field{"board", &run::board},
                                            field{"job_id", &run::job_id},
                                            field{"variant_id", &run::variant_id},
                                            field{"user_id", &run::user_id},
                                            field{"status", &run::status},
                                            field{"started_at", &run::started_at},
                                            field{"completed_at", &run::completed_at},
                                            field{"error", &run::error},
                                            field{"late", &run::late},
                                            field{"artifacts", &run::artifacts},
                                            field{"lease", &run::lease},
                                            field{"late_success", &run::late_success},
                                            field{"is_new", &run::is_new, hidden{}}};
};

/// What claim_next found and began.
struct claimed_job {
  board_job::job job;
  board_job::run run;
  success how() const { return run.how(); }
  static constexpr auto fields = std::tuple{field{"job", &claimed_job::job}, field{"run", &claimed_job::run}};
};

enum class novelty : std::uint8_t { fresh, updated, unchanged };
constexpr std::array<std::string_view, 3> names_of(novelty) { return {"new", "updated", "unchanged"}; }

struct ingested {
  novelty is = novelty::unchanged;
  board_job::job job;
  static constexpr auto fields = std::tuple{field{"is", &ingested::is}, field{"job", &ingested::job}};
};

/// Whether a job was expired because nobody sees it any more.
struct removed {
  bool is_gone = false;
  static constexpr auto fields = std::tuple{field{"removed", &removed::is_gone}};
};

struct nothing {
  static constexpr auto fields = std::tuple{};
};

using result = std::variant<nothing, job, run, claimed_job, ingested, removed>;

// Commands

struct ingest {
  description what;
  static constexpr auto answers = success::created;
  static constexpr auto fields = std::tuple{field{"what", &ingest::what, hidden{}}};
};

/// What the store says of a run before its command is decided.
struct known_run {
  std::string board;
  std::string job_id;
  std::int64_t n = 0;
  run_status status = run_status::pending;
  std::optional<failure_reason> ended;
  bool is_of(std::string_view b, std::string_view j) const { return board == b && job_id == j; }
  static constexpr auto fields =
      std::tuple{field{"board", &known_run::board}, field{"job_id", &known_run::job_id}, field{"n", &known_run::n},
                 field{"status", &known_run::status}, field{"ended", &known_run::ended}};
};

struct claim {
  std::string run_id;
  std::optional<std::string> variant_id;
  std::optional<std::string> user_id;
  std::optional<std::string> artifacts;  ///< JSON text of an object
  std::int64_t ttl_s = ttl_s_default;
  bool with_job = false;               ///< answer with the job too
  std::optional<known_run> known;      ///< the run_id was used before
  std::shared_ptr<const run> earlier;  ///< that run, when it is an old one of this job, which changes no more
  static constexpr auto answers = success::created;
  static constexpr auto fields = std::tuple{field{"run_id", &claim::run_id, id_bounds},
                                            field{"variant_id", &claim::variant_id, id_bounds},
                                            field{"user_id", &claim::user_id, id_bounds},
                                            field{"artifacts", &claim::artifacts, json_text{}},
                                            field{"ttl_s", &claim::ttl_s, with_default{ttl_bounds}},
                                            field{"with_job", &claim::with_job, hidden{}},
                                            field{"known", &claim::known, hidden{}},
                                            field{"earlier", &claim::earlier, hidden{}}};
};

/// Claims the oldest job that matches. Answered by the job that was found.
struct claim_next {
  std::string run_id;
  std::optional<std::string> board;
  std::optional<std::string> tag;
  std::optional<std::string> variant_id;
  std::optional<std::string> user_id;
  std::optional<std::string> artifacts;  ///< JSON text of an object
  std::int64_t ttl_s = ttl_s_default;
  static constexpr auto answers = success::created;
  static constexpr auto fields = std::tuple{field{"run_id", &claim_next::run_id, id_bounds},
                                            field{"board", &claim_next::board, slug{}},
                                            field{"tag", &claim_next::tag, text{1, 64}},
                                            field{"variant_id", &claim_next::variant_id, id_bounds},
                                            field{"user_id", &claim_next::user_id, id_bounds},
                                            field{"artifacts", &claim_next::artifacts, json_text{}},
                                            field{"ttl_s", &claim_next::ttl_s, with_default{ttl_bounds}}};
};

struct report {
  std::string run_id;
  std::optional<run_status> status;
  std::optional<std::string> error;
  std::optional<std::string> artifacts;  ///< JSON text of an object, to be merged
  std::optional<std::int64_t> lease_token;
  known_run known;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"run_id", &report::run_id, id_bounds},
                                            field{"status", &report::status},
                                            field{"error", &report::error, error_bounds},
                                            field{"artifacts", &report::artifacts, json_text{}},
                                            field{"lease_token", &report::lease_token, integer_range{1, id_max}},
                                            field{"known", &report::known, hidden{}}};
};

struct set_status {
  board_job::status status = board_job::status::discovered;
  bool force = false;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"status", &set_status::status}, field{"force", &set_status::force, with_default{}}};
};

/// A crawl that began at `since` is over: whoever it has not seen is gone.
struct expire_unseen {
  instant since;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"since", &expire_unseen::since, hidden{}}};
};

struct erase {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

/// A deadline has come: do what the state says is due.
struct tick {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

using command = std::variant<ingest, claim, claim_next, report, set_status, expire_unseen, erase, tick>;

// Events: results, never payload

struct discovered {
  description what;
  static constexpr std::string_view type = "JOB_DISCOVERED";
  static constexpr auto fields = std::tuple{field{"job", &discovered::what}};
};

struct updated {
  description what;
  static constexpr std::string_view type = "JOB_UPDATED";
  static constexpr auto fields = std::tuple{field{"job", &updated::what}};
};

struct seen {
  static constexpr std::string_view type = "JOB_SEEN";
  static constexpr auto fields = std::tuple{};
};

struct status_changed {
  status from = status::discovered;
  status to = status::discovered;
  cause by = cause::manual;
  static constexpr std::string_view type = "JOB_STATUS_CHANGED";
  static constexpr auto fields = std::tuple{field{"from", &status_changed::from}, field{"to", &status_changed::to},
                                            field{"by", &status_changed::by}};
};

struct deleted {
  static constexpr std::string_view type = "JOB_DELETED";
  static constexpr auto fields = std::tuple{};
};

struct claimed {
  std::string run_id;
  std::int64_t token = 0;
  std::optional<std::string> variant_id;
  std::optional<std::string> user_id;
  std::int64_t ttl_s = 0;
  instant expires_at;
  std::optional<std::string> superseded;  ///< the run that lost its lock before and cannot come back now
  static constexpr std::string_view type = "CLAIMED";
  static constexpr auto fields =
      std::tuple{field{"run_id", &claimed::run_id},         field{"token", &claimed::token},
                 field{"variant_id", &claimed::variant_id}, field{"user_id", &claimed::user_id},
                 field{"ttl_s", &claimed::ttl_s},           field{"expires_at", &claimed::expires_at},
                 field{"superseded", &claimed::superseded}};
};

/// A heartbeat, with or without a step from pending to submitted.
struct renewed {
  std::string run_id;
  run_status status = run_status::pending;
  instant expires_at;
  static constexpr std::string_view type = "RUN_RENEWED";
  static constexpr auto fields = std::tuple{field{"run_id", &renewed::run_id}, field{"status", &renewed::status},
                                            field{"expires_at", &renewed::expires_at}};
};

struct succeeded {
  std::string run_id;
  bool late = false;
  static constexpr std::string_view type = "RUN_SUCCEEDED";
  static constexpr auto fields = std::tuple{field{"run_id", &succeeded::run_id}, field{"late", &succeeded::late}};
};

struct failed {
  std::string run_id;
  failure_reason why = failure_reason::reported;
  static constexpr std::string_view type = "RUN_FAILED";
  static constexpr auto fields = std::tuple{field{"run_id", &failed::run_id}, field{"why", &failed::why}};
};

/// Somebody else holds the job, and the run that lost it says that it had succeeded.
struct late_success {
  std::string run_id;
  static constexpr std::string_view type = "LATE_SUCCESS";
  static constexpr auto fields = std::tuple{field{"run_id", &late_success::run_id}};
};

/// Artifacts came after the success.
struct annotated {
  std::string run_id;
  static constexpr std::string_view type = "ARTIFACTS_ADDED";
  static constexpr auto fields = std::tuple{field{"run_id", &annotated::run_id}};
};

using event = std::variant<discovered, updated, seen, status_changed, deleted, claimed, renewed, succeeded, failed,
                           late_success, annotated>;

/// What a failed run says of itself.
inline std::optional<std::string> error_of(const std::optional<failure_reason>& ended,
                                           const std::optional<std::string>& reported) {
  if (!ended)
    return std::nullopt;
  switch (*ended) {
  case failure_reason::reported:
    return reported;
  case failure_reason::lock_expired:
    return "lock expired";
  case failure_reason::superseded:
    return "superseded";
  case failure_reason::job_expired:
    return "job expired";
  default:
    return "job rejected";
  }
}

}  // namespace callboard::board_job
