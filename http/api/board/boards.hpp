#pragma once

#include "base/described.hpp"
#include "http/api/pages.hpp"
#include "http/transport/request_context.hpp"
#include "messages/board.hpp"
#include "messages/board_job.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The calls about boards, crawls and the profiles of users.
namespace callboard::http {

/// The board and what it shall be.
struct put_board_body {
  std::string id;
  board::put what;
  static constexpr auto fields =
      std::tuple{field{"id", &put_board_body::id, slug{}}, field{"what", &put_board_body::what, inlined{}}};
};

struct board_query {
  std::optional<std::string> id;
  static constexpr auto fields = std::tuple{field{"id", &board_query::id}};
};

struct board_list {
  std::int64_t count = 0;
  std::vector<board::board> boards;
  std::optional<std::string> next_cursor;
  static constexpr auto fields = std::tuple{field{"count", &board_list::count}, field{"boards", &board_list::boards},
                                            field{"next_cursor", &board_list::next_cursor}};
};

task<response> list_boards(request_context& x);
task<response> put_board(request_context& x);
task<response> show_board(request_context& x);
task<response> delete_board(request_context& x);

struct crawl_body {
  std::string board;
  std::optional<std::string> trigger;
  static constexpr auto fields =
      std::tuple{field{"board", &crawl_body::board, slug{}}, field{"trigger", &crawl_body::trigger, printable{1, 100}}};
};

/// How a crawl may end.
enum class crawl_end : std::uint8_t { finished, failed };
constexpr std::array<std::string_view, 2> names_of(crawl_end) { return {"finished", "failed"}; }

struct crawl_end_body {
  crawl_end status = crawl_end::finished;
  static constexpr auto fields = std::tuple{field{"status", &crawl_end_body::status}};
};

struct crawl_list {
  std::int64_t count = 0;
  std::vector<board::crawl> crawls;
  std::optional<std::string> next_cursor;
  static constexpr auto fields = std::tuple{field{"count", &crawl_list::count}, field{"crawls", &crawl_list::crawls},
                                            field{"next_cursor", &crawl_list::next_cursor}};
};

struct crawls_query {
  std::optional<std::int64_t> limit;
  std::optional<std::string> cursor;
  std::optional<std::string> board;
  static constexpr auto fields =
      std::tuple{field{"limit", &crawls_query::limit, limit_bounds}, field{"cursor", &crawls_query::cursor},
                 field{"board", &crawls_query::board, slug{}}};
};

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
