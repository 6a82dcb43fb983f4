#pragma once

#include "base/json.hpp"
#include "http/transport/request_context.hpp"

/// The calls of agents: who gets a job, and what became of the run.
namespace callboard::http {

/// `{"action":"run"}`: this job.
task<response> claim_job(request_context& x, json_document body);
/// `{"action":"claim_next"}`: the oldest one that matches.
task<response> claim_next_job(request_context& x, json_document body);
/// PATCH with a run_id.
task<response> report_run(request_context& x, json_document body);

}  // namespace callboard::http
