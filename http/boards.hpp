#pragma once

#include "http/exchange.hpp"
#include "messages/board_job.hpp"

/// The calls about boards, crawls and the profiles of users.
namespace callboard::http {

task<response> list_boards(exchange& x);
task<response> put_board(exchange& x);
task<response> show_board(exchange& x);
task<response> delete_board(exchange& x);

task<response> list_crawls(exchange& x);
task<response> start_crawl(exchange& x);
task<response> show_crawl(exchange& x);
task<response> end_crawl(exchange& x);

/// Tells many jobs of a board the same, so many at a time that each is heard before its deadline; those that are deleted
/// already do not matter. How many say that they went by it.
task<std::int64_t> tell_jobs(exchange& x, std::string board, std::vector<std::string> job_ids, board_job::command what);

task<response> show_profile(exchange& x);
task<response> put_profile(exchange& x);

} // namespace callboard::http
