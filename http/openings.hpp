#pragma once

#include "http/exchange.hpp"

#include <cstdint>
#include <string>

/// The calls about job openings.
namespace callboard::http {

task<response> list_jobs(exchange& x);
task<response> create_job(exchange& x);
task<response> show_job(exchange& x);
task<response> update_job(exchange& x);
task<response> show_queue(exchange& x);
task<response> show_summary(exchange& x);

/// The key of an opening's entity; an id that no opening can have is not found.
std::string opening_key(std::int64_t id);

} // namespace callboard::http
