#pragma once

#include "http/exchange.hpp"
#include "messages/json.hpp"

/// How jobs come in.
namespace callboard::http {

/// One job, or `{"jobs":[…]}`.
task<response> ingest_jobs(exchange& x, json_document body);
/// The public list of a board's applicant tracking system, as it is.
task<response> ingest_list(exchange& x);

} // namespace callboard::http
