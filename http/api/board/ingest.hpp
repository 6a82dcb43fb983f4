#pragma once

#include "base/json.hpp"
#include "http/api/board/ingest_bodies.hpp"
#include "http/transport/request_context.hpp"

/// How jobs come in.
namespace callboard::http {

/// One job, or `{"jobs":[…]}`.
task<response> ingest_jobs(request_context& x, json_document body);
/// The public list of a board's applicant tracking system, as it is.
task<response> ingest_list(request_context& x);

}  // namespace callboard::http
