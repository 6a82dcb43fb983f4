#pragma once

#include "http/exchange.hpp"

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

task<response> show_profile(exchange& x);
task<response> put_profile(exchange& x);

} // namespace callboard::http
