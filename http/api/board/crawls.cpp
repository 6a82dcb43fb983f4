#include "actors/board/reads.hpp"
#include "actors/board/rules.hpp"
#include "actors/board_job/reads.hpp"
#include "actors/board_job/rules.hpp"
#include "http/api/ask.hpp"
#include "http/api/board/boards.hpp"
#include "http/api/bodies.hpp"
#include "http/api/etags.hpp"
#include "http/api/pages.hpp"
#include "http/api/queries.hpp"
#include "http/api/results.hpp"

#include <charconv>

namespace callboard::http {
namespace {

using board::kind;
using persistence::reader;

struct crawl_key {
  std::string board;
  std::int64_t n = 0;
};

[[noreturn]] void no_crawl(const std::string& id) {
  throw refused{{code::not_found, "Crawl '" + id + "' not found", {}}};
}

/// What is no id of a crawl is nobody's.
crawl_key key_in_path(const request_context& x) {
  const auto& id = x.parameters.at(0);
  auto parts = board::crawl_parts(id);
  if (!parts)
    no_crawl(id);
  return {std::move(parts->first), parts->second};
}

task<board::crawl> found_crawl(request_context& x, crawl_key key) {
  const auto question = [key](reader& from) { return board::find_crawl(from, key.board, key.n); };
  auto found = co_await read(x, question);
  if (!found)
    no_crawl(board::crawl_id(key.board, key.n));
  co_return std::move(*found);
}

/// Tells every job that the crawl has not seen that it is gone; each decides for itself, by what it knows then.
task<std::int64_t> expire_unseen(request_context& x, const board::crawl& c) {
  const auto question = [of = c.board, since = c.started_at](reader& from) {
    return board_job::unseen(from, of, since);
  };
  auto jobs = co_await read(x, question);
  board_job::command command = board_job::expire_unseen{c.started_at};
  co_return co_await tell_jobs(x, c.board, std::move(jobs), std::move(command));
}

/// Jobs go before the crawl ends, so a stale version has to be found out before them.
task<void> require_board_version(request_context& x, std::string board) {
  if (!if_match(x))
    co_return;
  const auto question = [board](reader& from) { return board::find_board(from, board); };
  const auto found = co_await read(x, question);
  if (found)
    require_version(x, found->version);
}

text_cursor cursor_of(const board::crawl& c) { return {std::to_string(to_ms(c.started_at)), c.id}; }

std::optional<board::crawl_place> place_in(const crawls_query& q, const text_page& p) {
  if (!q.cursor)
    return std::nullopt;
  std::int64_t ms = 0;
  const auto* end = p.after[0].data() + p.after[0].size();
  const auto read = std::from_chars(p.after[0].data(), end, ms);
  const auto parts = board::crawl_parts(p.after[1]);
  if (read.ec != std::errc{} || read.ptr != end || !parts)
    invalid("cursor", "must be a cursor of this list");
  return board::crawl_place{from_ms(ms), parts->first, parts->second};
}

}  // namespace

task<response> list_crawls(request_context& x) {
  const auto q = query_of<crawls_query>(x);
  const auto wanted = text_page_of(q, 2);
  const auto after = place_in(q, wanted);
  const auto limit = wanted.limit.value_or(object_rows);
  const auto question = [of = q.board, after, limit](reader& from) {
    crawl_list out;
    out.crawls = board::crawls_page(from, of, after, limit + 1);
    if (static_cast<std::int64_t>(out.crawls.size()) > limit) {
      out.crawls.pop_back();
      out.next_cursor = cursor_text(cursor_of(out.crawls.back()));
    }
    out.count = static_cast<std::int64_t>(out.crawls.size());
    return out;
  };
  const auto found = co_await read(x, question);
  response r{200, to_json(found)};
  if (found.next_cursor)
    link_next(x, r, cursor_of(found.crawls.back()));
  co_return r;
}

task<response> start_crawl(request_context& x) {
  auto b = body_of<crawl_body>(x);
  board::command command = board::start_crawl{b.trigger.value_or("manual")};
  auto a = co_await ask<kind>(x, std::move(b.board), std::move(command), asking::command);
  co_return written<board::crawl>(std::move(a), board::start_crawl::answers);
}

task<response> show_crawl(request_context& x) {
  const auto found = co_await found_crawl(x, key_in_path(x));
  co_return response{200, to_json(found)};
}

task<response> end_crawl(request_context& x) {
  const auto b = body_of<crawl_end_body>(x);
  const auto key = key_in_path(x);
  auto before = co_await earlier_answer(x, kind::name, key.board);
  if (before)
    co_return replayed(std::move(*before));
  const auto crawl = co_await found_crawl(x, key);
  co_await require_board_version(x, key.board);
  const bool is_finished = b.status == crawl_end::finished;
  // A crawl that fetched nothing has seen nothing: that says more about it than about the jobs.
  const bool expires = is_finished && crawl.status == board::crawl_status::running && crawl.stats.fetched > 0;
  const auto gone = expires ? co_await expire_unseen(x, crawl) : 0;
  board::command command =
      board::end_crawl{key.n, is_finished ? board::crawl_status::finished : board::crawl_status::failed, gone};
  auto a = co_await ask<kind>(x, key.board, std::move(command), asking::final_part);
  co_return written<board::crawl>(std::move(a), board::end_crawl::answers);
}

}  // namespace callboard::http
