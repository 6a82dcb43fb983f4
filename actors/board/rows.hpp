#pragma once

#include "actors/board/state.hpp"
#include "base/sql.hpp"

#include <string>
#include <vector>

/// How a board and its crawls rest in the store.
namespace callboard::board {

struct board_row {
  std::string id;
  bool gone = false;
  std::string company;
  std::optional<tracker> ats;
  std::string career_page_url;
  instant created_at;
  std::int64_t crawls = 0;
  static constexpr std::string_view table_name = "boards";
  static constexpr std::size_t key_columns = 1;
  static constexpr auto fields = std::tuple{field{"id", &board_row::id},
                                            field{"gone", &board_row::gone},
                                            field{"company", &board_row::company},
                                            field{"ats", &board_row::ats},
                                            field{"career_page_url", &board_row::career_page_url},
                                            field{"created_at", &board_row::created_at},
                                            field{"crawls", &board_row::crawls}};
};

struct crawl_row {
  std::string board;
  std::int64_t n = 0;
  crawl_status status = crawl_status::running;
  std::string trigger;
  instant started_at;
  std::optional<instant> completed_at;
  std::int64_t fetched = 0;
  std::int64_t fresh = 0;
  std::int64_t updated = 0;
  std::int64_t removed = 0;
  static constexpr std::string_view table_name = "crawls";
  static constexpr std::size_t key_columns = 2;
  static constexpr auto fields =
      std::tuple{field{"board", &crawl_row::board},           field{"n", &crawl_row::n},
                 field{"status", &crawl_row::status},         field{"cause", &crawl_row::trigger},
                 field{"started_at", &crawl_row::started_at}, field{"completed_at", &crawl_row::completed_at},
                 field{"fetched", &crawl_row::fetched},       field{"fresh", &crawl_row::fresh},
                 field{"updated", &crawl_row::updated},       field{"removed", &crawl_row::removed}};
};

void put_rows(const state& s, const changes& changed, std::vector<row>& out);

state from_row(const board_row& b);
crawl_record record_of(const crawl_row& c);

}  // namespace callboard::board
