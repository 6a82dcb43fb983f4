#include "actors/board/rules.hpp"
#include "base/json_write.hpp"

namespace callboard::board {

namespace {
struct board_and_crawls {
  callboard::board::board shown;
  std::vector<crawl> running;
  static constexpr auto fields =
      std::tuple{field{"board", &board_and_crawls::shown}, field{"running_crawls", &board_and_crawls::running}};
};
}  // namespace

std::string kind::state_text(persistence::reader&, state& s, instant, std::int64_t version) {
  if (!s.exists || s.gone)
    return "null";
  board_and_crawls out{{s.id, s.what.company, s.what.ats, s.what.career_page_url, s.created_at, version}, {}};
  for (const auto& [n, c] : s.running)
    out.running.push_back(shown(s.id, c));
  return to_json(out);
}

}  // namespace callboard::board
