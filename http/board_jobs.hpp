#pragma once

#include "http/exchange.hpp"

/// The calls about board jobs: one path, told apart by their bodies and queries.
namespace callboard::http {

task<response> show_board_jobs(exchange& x);
task<response> post_board_jobs(exchange& x);
task<response> patch_board_jobs(exchange& x);
task<response> delete_board_job(exchange& x);

} // namespace callboard::http
