#pragma once

#include "http/exchange.hpp"
#include "messages/json.hpp"

/// The calls of agents: who gets a job, and what became of the run.
namespace callboard::http {

/// `{"action":"run"}`: this job.
task<response> claim_job(exchange& x, json_document body);
/// `{"action":"claim_next"}`: the oldest one that matches.
task<response> claim_next_job(exchange& x, json_document body);
/// PATCH with a run_id.
task<response> report_run(exchange& x, json_document body);

} // namespace callboard::http
