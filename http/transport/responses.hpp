#pragma once

#include "base/named.hpp"
#include "http/transport/request_context.hpp"
#include "messages/outcome.hpp"

#include <array>
#include <string>
#include <string_view>

namespace callboard::http {

struct code_status {
  code what;
  int status;
};

/// The status of each refusal code; the only such table.
inline constexpr std::array code_statuses = std::to_array<code_status>({
    {code::validation_error, 400},
    {code::bad_job_status, 400},
    {code::unauthenticated, 401},
    {code::forbidden, 403},
    {code::not_found, 404},
    {code::method_not_allowed, 405},
    {code::not_acceptable, 406},
    {code::timeout, 408},
    {code::conflict, 409},
    {code::duplicate_submission, 409},
    {code::opening_closed, 409},
    {code::already_claimed, 409},
    {code::run_id_taken, 409},
    {code::stale_run, 409},
    {code::duplicate_job, 409},
    {code::stale_lease, 409},
    {code::cancelled, 409},
    {code::ambiguous_id, 409},
    {code::submitting, 409},
    {code::in_progress, 409},
    {code::gone, 410},
    {code::precondition_failed, 412},
    {code::payload_too_large, 413},
    {code::unsupported_media_type, 415},
    {code::expectation_failed, 417},
    {code::invalid_transition, 422},
    {code::idempotency_mismatch, 422},
    {code::rate_limited, 429},
    {code::headers_too_large, 431},
    {code::internal, 500},
    {code::overloaded, 503},
    {code::not_applied, 503},
    {code::outcome_unknown, 503},
    {code::store_full, 503},
    {code::moving, 503},
    {code::entity_quarantined, 503},
});

static_assert(code_statuses.size() == names_of(code{}).size());
static_assert(
    [] {
      for (std::size_t i = 0; i < code_statuses.size(); ++i)
        if (static_cast<std::size_t>(code_statuses[i].what) != i)
          return false;
      return true;
    }(),
    "the rows stand in the order of the codes");

constexpr int status_of(code c) { return code_statuses[static_cast<std::size_t>(c)].status; }

std::string_view phrase_of(int status);

/// `{"error":{"code","message","details"},"message","requestId"}`, or RFC 9457.
std::string error_body(const refusal& why, std::string_view request_id, bool problem_json = false);

/// Status, body and Retry-After of a refusal; the media type of RFC 9457 where the request accepts it.
response to_response(const refusal& why, std::string_view request_id, bool problem_json = false);

/// What the bytes of an answer depend on besides the response itself.
struct answer_form {
  std::string_view request_id;
  std::string_view shared_with{};  ///< Origin whose pages may read the answer; empty: none
  bool head_only = false;          ///< HEAD: everything but the body
  bool closes = false;
  bool is_chunked = false;        ///< of a stream; without it the end of the connection ends the body
  bool tells_keep_alive = false;  ///< HTTP/1.0 closes unless told otherwise
};

/// Head and body behind each other: one string, one write. Of a stream only the head.
void append_answer(std::string& out, const response& r, const answer_form& form);

/// One chunk of a chunked body; an empty one ends it.
void append_chunk(std::string& out, std::string_view bytes);

}  // namespace callboard::http
