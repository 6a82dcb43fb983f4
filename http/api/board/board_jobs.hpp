#pragma once

#include "http/transport/request_context.hpp"

/// The calls about board jobs: one path, told apart by their bodies and queries.
namespace callboard::http {

task<response> show_board_jobs(request_context& x);
task<response> post_board_jobs(request_context& x);
task<response> patch_board_jobs(request_context& x);
task<response> delete_board_job(request_context& x);

}  // namespace callboard::http
