#include "actors/board/rules.hpp"

#include "actors/board/rows.hpp"

#include <stdexcept>

namespace callboard::board {
namespace {

using deciding = decision<kind>;
using answer = kind::answer;

refusal no_board(const state& s) { return {code::not_found, "Board '" + s.id + "' not found", {}}; }

board shown(const deciding& d, bool is_new) {
  const auto& s = d.state();
  return {s.id, s.what.company, s.what.ats, s.what.career_page_url, s.created_at, d.version(), is_new};
}

bool is_there(const state& s) { return s.exists && !s.gone; }

std::variant<crawl_record, refusal> running(const state& s, std::int64_t n) {
  if (const auto it = s.running.find(n); it != s.running.end())
    return it->second;
  const auto id = "Crawl '" + crawl_id(s.id, n) + '\'';
  if (n < 1 || n > s.crawls)
    return refusal{code::not_found, id + " not found", {}};
  return refusal{code::conflict, id + " has ended", {}};
}

answer on(deciding& d, const put& c) {
  const auto& s = d.state();
  const bool is_new = !is_there(s);
  const auto before = is_new ? described_anew{s.id, std::nullopt, {}} : s.what;
  described_anew after{c.company.value_or(before.company), c.ats.value_or(before.ats),
                       c.career_page_url.value_or(before.career_page_url)};
  if (is_new)
    d.happened(created{std::move(after)});
  else if (after != before)
    d.happened(updated{std::move(after)});
  return result{shown(d, is_new)};
}

answer on(deciding& d, const erase&) {
  d.happened(deleted{});
  return result{shown(d, false)};
}

answer on(deciding& d, const start_crawl& c) {
  const auto& s = d.state();
  d.happened(crawl_started{s.crawls + 1, c.trigger});
  return result{shown(s.id, s.running.at(s.crawls))};
}

answer on(deciding& d, const note_progress& c) {
  const auto& s = d.state();
  const auto found = running(s, c.n);
  if (const auto* no = std::get_if<refusal>(&found))
    return *no;
  auto sum = std::get<crawl_record>(found).stats;
  sum.fetched += c.more.fetched;
  sum.fresh += c.more.fresh;
  sum.updated += c.more.updated;
  d.happened(crawl_progressed{c.n, sum});
  return result{shown(s.id, s.running.at(c.n))};
}

answer on(deciding& d, const end_crawl& c) {
  const auto& s = d.state();
  auto found = running(s, c.n);
  if (const auto* no = std::get_if<refusal>(&found))
    return *no;
  d.happened(crawl_ended{c.n, c.status, c.removed});
  return result{shown(s.id, d.changed.crawls.back())};
}

answer on(deciding&, const store_response& c) { return result{c.response}; }
answer on(deciding&, const tick&) { return result{nothing{}}; }

/// Applies one event to the state and notes what it changed.
struct evolution {
  state& s;
  instant at;
  changes& changed;

  crawl_record& one(std::int64_t n) {
    const auto it = s.running.find(n);
    if (it == s.running.end())
      throw std::logic_error("an event names crawl " + std::to_string(n) + ", which does not run");
    return it->second;
  }

  void operator()(const created& e) {
    s.exists = true;
    s.gone = false;
    s.what = e.what;
    s.created_at = at;
  }
  void operator()(const updated& e) { s.what = e.what; }
  void operator()(const deleted&) { s.gone = true; }
  void operator()(const crawl_started& e) {
    check_move(crawl_lifecycle, std::nullopt, crawl_status::running);
    const auto [it, is_new] = s.running.emplace(e.n, crawl_record{e.n, crawl_status::running, e.trigger, at, {}, {}});
    if (!is_new)
      throw std::logic_error("crawl " + std::to_string(e.n) + " was started twice");
    s.crawls = e.n;
    changed.crawls.push_back(it->second);
  }
  void operator()(const crawl_progressed& e) {
    auto& c = one(e.n);
    c.stats = e.stats;
    changed.crawls.push_back(c);
  }
  void operator()(const crawl_ended& e) {
    auto& c = one(e.n);
    check_move(crawl_lifecycle, c.status, e.status);
    c.status = e.status;
    c.completed_at = at;
    c.stats.removed = e.removed;
    changed.crawls.push_back(c);
    s.running.erase(e.n);
  }
};

template <class Command>
constexpr bool needs_a_board =
    !std::is_same_v<Command, put> && !std::is_same_v<Command, store_response> && !std::is_same_v<Command, tick>;

}  // namespace

crawl shown(const std::string& board, const crawl_record& c) {
  return {crawl_id(board, c.n), board, c.status, c.trigger, c.started_at, c.completed_at, c.stats};
}

state kind::initial(const std::string& key) {
  state s;
  s.id = key;
  return s;
}

answer kind::decide(decision<kind>& d, const command& c) {
  return std::visit(
      [&]<class Command>(const Command& one) -> answer {
        if constexpr (needs_a_board<Command>)
          if (!is_there(d.state()))
            return no_board(d.state());
        return on(d, one);
      },
      c);
}

void kind::evolve(state& s, const event& e, instant at, changes& changed) { std::visit(evolution{s, at, changed}, e); }

std::optional<std::string> kind::subject(const event& e) {
  return std::visit(
      [](const auto& one) -> std::optional<std::string> {
        if constexpr (requires { one.n; })
          return std::to_string(one.n);
        else
          return std::nullopt;
      },
      e);
}

void kind::rows(const state& s, const changes& changed, std::int64_t, std::vector<row>& out) {
  put_rows(s, changed, out);
}

}  // namespace callboard::board
