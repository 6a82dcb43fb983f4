#pragma once

#include "http/transport/request_context.hpp"

#include <cstdint>
#include <string>

/// The calls about job openings.
namespace callboard::http {

task<response> list_jobs(request_context& x);
task<response> create_job(request_context& x);
task<response> show_job(request_context& x);
task<response> update_job(request_context& x);
task<response> show_queue(request_context& x);
task<response> show_summary(request_context& x);

/// The key of an opening's entity; an id that no opening can have is not found.
std::string opening_key(std::int64_t id);

}  // namespace callboard::http
