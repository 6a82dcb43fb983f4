#pragma once

#include "base/described.hpp"
#include "base/instant.hpp"
#include "messages/queue/terms.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What can have happened in a work queue: results, never inputs to compute again. One event tells of as many jobs as
/// one decision moved.
namespace callboard::queue {

using ids = std::vector<std::string>;

struct enqueued_job {
  std::string id;
  std::string type;
  std::int64_t weight = 5;
  std::int64_t max_attempts = 4;
  std::optional<instant> run_at;  ///< set: scheduled until then
  std::optional<std::int64_t> ttl_s;
  std::optional<std::string> unique_key;
  static constexpr auto fields = std::tuple{field{"id", &enqueued_job::id},
                                            field{"type", &enqueued_job::type},
                                            field{"weight", &enqueued_job::weight},
                                            field{"max", &enqueued_job::max_attempts},
                                            field{"run_at", &enqueued_job::run_at},
                                            field{"ttl_s", &enqueued_job::ttl_s},
                                            field{"unique_key", &enqueued_job::unique_key}};
};
struct enqueued {
  std::vector<enqueued_job> jobs;
  static constexpr std::string_view type = "ENQUEUED";
  static constexpr auto fields = std::tuple{field{"jobs", &enqueued::jobs}};
};

struct claimed {
  std::string worker;
  std::int64_t token = 0;
  std::int64_t length_ms = 0;
  instant until;
  queue::ids jobs;
  static constexpr std::string_view type = "CLAIMED";
  static constexpr auto fields = std::tuple{field{"worker", &claimed::worker}, field{"token", &claimed::token},
                                            field{"length_ms", &claimed::length_ms}, field{"until", &claimed::until},
                                            field{"jobs", &claimed::jobs}};
};

struct renewed {
  std::string id;
  instant until;
  static constexpr std::string_view type = "RENEWED";
  static constexpr auto fields = std::tuple{field{"id", &renewed::id}, field{"until", &renewed::until}};
};

struct completed {
  queue::ids jobs;
  static constexpr std::string_view type = "COMPLETED";
  static constexpr auto fields = std::tuple{field{"jobs", &completed::jobs}};
};

/// A worker gave up; tried again at `run_at`.
struct retried {
  std::string id;
  std::int64_t attempts = 0;
  instant run_at;
  static constexpr std::string_view type = "RETRIED";
  static constexpr auto fields =
      std::tuple{field{"id", &retried::id}, field{"attempts", &retried::attempts}, field{"run_at", &retried::run_at}};
};

/// A job that failed for good waits for a person.
struct dead_job {
  std::string id;
  std::int64_t attempts = 0;
  std::string fingerprint;
  std::optional<std::string> error_code;
  static constexpr auto fields =
      std::tuple{field{"id", &dead_job::id}, field{"attempts", &dead_job::attempts},
                 field{"fingerprint", &dead_job::fingerprint}, field{"error_code", &dead_job::error_code}};
};
struct died {
  std::vector<dead_job> jobs;
  static constexpr std::string_view type = "DIED";
  static constexpr auto fields = std::tuple{field{"jobs", &died::jobs}};
};

/// Handed back by its worker: its place in line and its attempts stay.
struct released {
  queue::ids jobs;
  static constexpr std::string_view type = "RELEASED";
  static constexpr auto fields = std::tuple{field{"jobs", &released::jobs}};
};

/// Leases ended: at once in line again, one attempt more.
struct lapsed {
  queue::ids jobs;
  static constexpr std::string_view type = "LAPSED";
  static constexpr auto fields = std::tuple{field{"jobs", &lapsed::jobs}};
};

/// Their time to run has come.
struct matured {
  queue::ids jobs;
  static constexpr std::string_view type = "MATURED";
  static constexpr auto fields = std::tuple{field{"jobs", &matured::jobs}};
};

/// Waited longer than their ttl.
struct expired {
  queue::ids jobs;
  static constexpr std::string_view type = "EXPIRED";
  static constexpr auto fields = std::tuple{field{"jobs", &expired::jobs}};
};

/// Cancelled while a worker holds them: it is told, and nothing it brings counts.
struct cancel_requested {
  queue::ids jobs;
  static constexpr std::string_view type = "CANCEL_REQUESTED";
  static constexpr auto fields = std::tuple{field{"jobs", &cancel_requested::jobs}};
};

struct cancelled {
  queue::ids jobs;
  static constexpr std::string_view type = "CANCELLED";
  static constexpr auto fields = std::tuple{field{"jobs", &cancelled::jobs}};
};

struct redriven_job {
  std::string id;
  std::optional<instant> run_at;
  static constexpr auto fields = std::tuple{field{"id", &redriven_job::id}, field{"run_at", &redriven_job::run_at}};
};
struct redriven {
  std::vector<redriven_job> jobs;
  static constexpr std::string_view type = "REDRIVEN";
  static constexpr auto fields = std::tuple{field{"jobs", &redriven::jobs}};
};

/// All values as they are after the change.
struct configured {
  bool paused = false;
  std::optional<std::int64_t> max_in_flight;
  std::optional<std::int64_t> rate_per_s;
  std::int64_t aging_s = 60;
  std::optional<key_limit> per_key;
  static constexpr std::string_view type = "CONFIGURED";
  static constexpr auto fields =
      std::tuple{field{"paused", &configured::paused}, field{"max_in_flight", &configured::max_in_flight},
                 field{"rate_per_s", &configured::rate_per_s}, field{"aging_s", &configured::aging_s},
                 field{"per_key", &configured::per_key}};
};

/// Not kept any longer; their ids are new again.
struct purged {
  queue::ids jobs;
  static constexpr std::string_view type = "PURGED";
  static constexpr auto fields = std::tuple{field{"jobs", &purged::jobs}};
};

using event = std::variant<enqueued, claimed, renewed, completed, retried, died, released, lapsed, matured, expired,
                           cancel_requested, cancelled, redriven, configured, purged>;

}  // namespace callboard::queue
