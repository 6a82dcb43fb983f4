#pragma once

#include "base/described.hpp"
#include "base/instant.hpp"
#include "base/json_write.hpp"
#include "base/named.hpp"
#include "messages/outcome.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// The vocabulary of boards, where jobs are found, and of the crawls that look through them.
namespace callboard::board {

/// Whose software shows the jobs; says how its public JSON is to be read.
enum class tracker : std::uint8_t { greenhouse, lever, ashby };
constexpr std::array<std::string_view, 3> names_of(tracker) { return {"greenhouse", "lever", "ashby"}; }

enum class crawl_status : std::uint8_t { running, finished, failed };
constexpr std::array<std::string_view, 3> names_of(crawl_status) { return {"running", "finished", "failed"}; }

/// A crawl's id names its board, so nobody has to look it up.
inline std::string crawl_id(std::string_view board, std::int64_t n) {
  return std::string{board} + ':' + std::to_string(n);
}
inline std::optional<std::pair<std::string, std::int64_t>> crawl_parts(std::string_view id) {
  const auto colon = id.find(':');
  if (colon == std::string_view::npos || !is_slug(id.substr(0, colon)))
    return std::nullopt;
  const auto digits = id.substr(colon + 1);
  std::int64_t n = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || n < 1 || digits.front() == '0')
    return std::nullopt;
  return std::pair{std::string{id.substr(0, colon)}, n};
}

// Answers

struct board {
  std::string id;
  std::string company;
  std::optional<tracker> ats;
  std::string career_page_url;
  instant created_at;
  std::int64_t version = 0;
  bool is_new = false;
  success how() const { return is_new ? success::created : success::ok; }
  static constexpr auto fields = std::tuple{field{"id", &board::id},
                                            field{"company", &board::company},
                                            field{"ats", &board::ats},
                                            field{"career_page_url", &board::career_page_url},
                                            field{"created_at", &board::created_at},
                                            field{"version", &board::version},
                                            field{"is_new", &board::is_new, hidden{}}};
};

struct crawl_stats {
  std::int64_t boards_crawled = 1;
  std::int64_t fetched = 0;
  std::int64_t fresh = 0;
  std::int64_t updated = 0;
  std::int64_t removed = 0;
  static constexpr auto fields =
      std::tuple{field{"boards_crawled", &crawl_stats::boards_crawled}, field{"jobs_fetched", &crawl_stats::fetched},
                 field{"jobs_new", &crawl_stats::fresh}, field{"jobs_updated", &crawl_stats::updated},
                 field{"jobs_removed", &crawl_stats::removed}};
  friend bool operator==(const crawl_stats&, const crawl_stats&) = default;
};

struct crawl {
  std::string id;
  std::string board;
  crawl_status status = crawl_status::running;
  std::string trigger;
  instant started_at;
  std::optional<instant> completed_at;
  crawl_stats stats;
  static constexpr auto fields = std::tuple{field{"id", &crawl::id},
                                            field{"board", &crawl::board},
                                            field{"status", &crawl::status},
                                            field{"trigger", &crawl::trigger},
                                            field{"started_at", &crawl::started_at},
                                            field{"completed_at", &crawl::completed_at},
                                            field{"stats", &crawl::stats}};
};

/// What was ingested: the answer of a call over many entities, kept under its Idempotency-Key.
struct ingestion {
  std::int64_t fresh = 0;
  std::int64_t updated = 0;
  std::int64_t unchanged = 0;
  raw_json failed;
  raw_json jobs;
  static constexpr auto fields =
      std::tuple{field{"new_count", &ingestion::fresh}, field{"updated_count", &ingestion::updated},
                 field{"unchanged_count", &ingestion::unchanged}, field{"failed", &ingestion::failed},
                 field{"jobs", &ingestion::jobs}};
};

struct nothing {
  static constexpr auto fields = std::tuple{};
};

using result = std::variant<nothing, board, crawl, ingestion>;

// Commands

/// Creates the board or changes what is said; what is absent stays, and a company is named like its board at first.
struct put {
  std::optional<std::string> company;
  std::optional<std::optional<tracker>> ats;
  std::optional<std::string> career_page_url;
  static constexpr auto answers = success::created;
  static constexpr auto fields = std::tuple{field{"company", &put::company, text{1, 200}}, field{"ats", &put::ats},
                                            field{"career_page_url", &put::career_page_url, text{0, 2'000}}};
};

struct erase {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

struct start_crawl {
  std::string trigger = "manual";
  static constexpr auto answers = success::created;
  static constexpr auto fields = std::tuple{field{"trigger", &start_crawl::trigger, with_default{printable{1, 100}}}};
};

/// What a crawl brought, to be added up.
struct note_progress {
  std::int64_t n = 0;
  crawl_stats more;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"n", &note_progress::n, hidden{}}, field{"more", &note_progress::more, hidden{}}};
};

struct end_crawl {
  std::int64_t n = 0;
  crawl_status status = crawl_status::finished;
  std::int64_t removed = 0;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"n", &end_crawl::n, hidden{}}, field{"status", &end_crawl::status, hidden{}},
                 field{"removed", &end_crawl::removed, hidden{}}};
};

/// Changes nothing but remembers an answer under its Idempotency-Key.
struct store_response {
  ingestion response;
  static constexpr auto answers = success::created;
  static constexpr auto fields = std::tuple{field{"response", &store_response::response, hidden{}}};
};

struct tick {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

using command = std::variant<put, erase, start_crawl, note_progress, end_crawl, store_response, tick>;

// Events

/// All values as they are after the change.
struct described_anew {
  std::string company;
  std::optional<tracker> ats;
  std::string career_page_url;
  static constexpr auto fields =
      std::tuple{field{"company", &described_anew::company}, field{"ats", &described_anew::ats},
                 field{"career_page_url", &described_anew::career_page_url}};
  friend bool operator==(const described_anew&, const described_anew&) = default;
};

struct created {
  described_anew what;
  static constexpr std::string_view type = "BOARD_CREATED";
  static constexpr auto fields = std::tuple{field{"board", &created::what}};
};

struct updated {
  described_anew what;
  static constexpr std::string_view type = "BOARD_UPDATED";
  static constexpr auto fields = std::tuple{field{"board", &updated::what}};
};

struct deleted {
  static constexpr std::string_view type = "BOARD_DELETED";
  static constexpr auto fields = std::tuple{};
};

struct crawl_started {
  std::int64_t n = 0;
  std::string trigger;
  static constexpr std::string_view type = "CRAWL_STARTED";
  static constexpr auto fields = std::tuple{field{"n", &crawl_started::n}, field{"trigger", &crawl_started::trigger}};
};

/// The sums as they are now.
struct crawl_progressed {
  std::int64_t n = 0;
  crawl_stats stats;
  static constexpr std::string_view type = "CRAWL_PROGRESSED";
  static constexpr auto fields = std::tuple{field{"n", &crawl_progressed::n}, field{"stats", &crawl_progressed::stats}};
};

struct crawl_ended {
  std::int64_t n = 0;
  crawl_status status = crawl_status::finished;
  std::int64_t removed = 0;
  static constexpr std::string_view type = "CRAWL_ENDED";
  static constexpr auto fields = std::tuple{field{"n", &crawl_ended::n}, field{"status", &crawl_ended::status},
                                            field{"jobs_removed", &crawl_ended::removed}};
};

using event = std::variant<created, updated, deleted, crawl_started, crawl_progressed, crawl_ended>;

}  // namespace callboard::board
