#pragma once

#include "http/transport/request_context.hpp"
#include "messages/board_job.hpp"

/// The calls about boards, crawls and the profiles of users.
namespace callboard::http {

task<response> list_boards(request_context& x);
task<response> put_board(request_context& x);
task<response> show_board(request_context& x);
task<response> delete_board(request_context& x);

task<response> list_crawls(request_context& x);
task<response> start_crawl(request_context& x);
task<response> show_crawl(request_context& x);
task<response> end_crawl(request_context& x);

/// Tells many jobs of a board the same, so many at a time that each is heard before its deadline; those that are
/// deleted already do not matter. How many say that they went by it.
task<std::int64_t> tell_jobs(request_context& x, std::string board, std::vector<std::string> job_ids,
                             board_job::command what);

task<response> show_profile(request_context& x);
task<response> put_profile(request_context& x);

}  // namespace callboard::http
