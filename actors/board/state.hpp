#pragma once

#include "messages/board.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace callboard::board {

struct crawl_record {
  std::int64_t n = 0;
  crawl_status status = crawl_status::running;
  std::string trigger;
  instant started_at;
  std::optional<instant> completed_at;
  crawl_stats stats;
  friend bool operator==(const crawl_record&, const crawl_record&) = default;
};

/// Crawls that have ended are only rows.
struct state {
  std::string id;
  bool exists = false;
  bool gone = false;
  described_anew what;
  instant created_at;
  std::int64_t crawls = 0;
  std::map<std::int64_t, crawl_record> running;
  friend bool operator==(const state&, const state&) = default;
};

struct changes {
  std::vector<crawl_record> crawls;
};

}  // namespace callboard::board
