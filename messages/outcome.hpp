#pragma once

#include "base/described.hpp"
#include "base/problem.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace callboard {

/// How a command went well. Who speaks HTTP says 200, 201 or 202.
enum class success : std::uint8_t { ok, created, accepted };

/// Every way to be told no, under the name that callers see.
enum class code : std::uint8_t {
  validation_error,
  bad_job_status,
  unauthenticated,
  forbidden,
  not_found,
  method_not_allowed,
  not_acceptable,
  timeout,
  conflict,
  duplicate_submission,
  opening_closed,
  already_claimed,
  run_id_taken,
  stale_run,
  duplicate_job,
  stale_lease,
  cancelled,
  ambiguous_id,
  submitting,
  in_progress,
  gone,
  precondition_failed,
  payload_too_large,
  unsupported_media_type,
  expectation_failed,
  invalid_transition,
  idempotency_mismatch,
  rate_limited,
  headers_too_large,
  internal,
  overloaded,
  not_applied,
  outcome_unknown,
  store_full,
  moving,
  entity_quarantined
};

constexpr std::array<std::string_view, 36> names_of(code) {
  return {"VALIDATION_ERROR",
          "BAD_JOB_STATUS",
          "UNAUTHENTICATED",
          "FORBIDDEN",
          "NOT_FOUND",
          "METHOD_NOT_ALLOWED",
          "NOT_ACCEPTABLE",
          "TIMEOUT",
          "CONFLICT",
          "DUPLICATE_SUBMISSION",
          "OPENING_CLOSED",
          "ALREADY_CLAIMED",
          "RUN_ID_TAKEN",
          "STALE_RUN",
          "DUPLICATE_JOB",
          "STALE_LEASE",
          "CANCELLED",
          "AMBIGUOUS_ID",
          "SUBMITTING",
          "IN_PROGRESS",
          "GONE",
          "PRECONDITION_FAILED",
          "PAYLOAD_TOO_LARGE",
          "UNSUPPORTED_MEDIA_TYPE",
          "EXPECTATION_FAILED",
          "INVALID_TRANSITION",
          "IDEMPOTENCY_MISMATCH",
          "RATE_LIMITED",
          "HEADERS_TOO_LARGE",
          "INTERNAL",
          "OVERLOADED",
          "NOT_APPLIED",
          "OUTCOME_UNKNOWN",
          "STORE_FULL",
          "MOVING",
          "ENTITY_QUARANTINED"};
}

/// A no, in words for the caller. The domain's own refusals and the world's failures (503) look alike to a caller.
struct refusal {
  code what;
  std::string message;
  std::vector<problem> details;
  static constexpr auto fields = std::tuple{field{"code", &refusal::what}, field{"message", &refusal::message},
                                            field{"details", &refusal::details}};
};

}  // namespace callboard
