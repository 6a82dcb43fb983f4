#include "actors/board/rows.hpp"

namespace callboard::board {

void put_rows(const state& s, const changes& changed, std::vector<row>& out) {
  out.push_back(
      to_row(board_row{s.id, s.gone, s.what.company, s.what.ats, s.what.career_page_url, s.created_at, s.crawls}));
  // The last touch of a crawl is how it is now.
  std::map<std::int64_t, const crawl_record*> last;
  for (const auto& c : changed.crawls)
    last[c.n] = &c;
  for (const auto& [n, c] : last)
    out.push_back(to_row(crawl_row{s.id, n, c->status, c->trigger, c->started_at, c->completed_at, c->stats.fetched,
                                   c->stats.fresh, c->stats.updated, c->stats.removed}));
}

state from_row(const board_row& b) {
  state s;
  s.id = b.id;
  s.exists = true;
  s.gone = b.gone;
  s.what = {b.company, b.ats, b.career_page_url};
  s.created_at = b.created_at;
  s.crawls = b.crawls;
  return s;
}

crawl_record record_of(const crawl_row& c) {
  return {c.n, c.status, c.trigger, c.started_at, c.completed_at, {1, c.fetched, c.fresh, c.updated, c.removed}};
}

}  // namespace callboard::board
