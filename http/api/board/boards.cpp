#include "http/api/board/boards.hpp"

#include "actors/board/reads.hpp"
#include "actors/board/rules.hpp"
#include "actors/board_job/reads.hpp"
#include "actors/board_job/rules.hpp"
#include "http/api/ask.hpp"
#include "http/api/bodies.hpp"
#include "http/api/bulk.hpp"
#include "http/api/etags.hpp"
#include "http/api/pages.hpp"
#include "http/api/queries.hpp"
#include "http/api/results.hpp"

#include <algorithm>

namespace callboard::http {
namespace {

using board::kind;
using persistence::reader;

/// In a path, or in the query of a call without one.
std::string board_id(const request_context& x) {
  auto id = x.parameters.empty() ? query_of<board_query>(x).id.value_or("") : x.parameters.at(0);
  if (!is_slug(id))
    invalid("id", "must be the id of a board");
  return id;
}

task<board::board> found_board(request_context& x, std::string id) {
  const auto question = [id](reader& from) { return board::find_board(from, id); };
  auto found = co_await read(x, question);
  if (!found)
    throw refused{{code::not_found, "Board '" + id + "' not found", {}}};
  co_return std::move(*found);
}

/// What is claimed stays; the first such job is enough to know.
task<void> require_unclaimed(request_context& x, std::string id) {
  const auto question = [id](reader& from) { return board_job::claimed_job_of(from, id); };
  const auto claimed = co_await read(x, question);
  if (claimed)
    throw refused{{code::conflict, "Job '" + *claimed + "' of board '" + id + "' is claimed", {}}};
}

/// Its jobs go with it, each by its own commit. One that was claimed meanwhile stays, and so does the board.
task<void> delete_jobs(request_context& x, std::string id) {
  const auto question = [id](reader& from) { return board_job::jobs_of(from, id); };
  auto jobs = co_await read(x, question);
  board_job::command command = board_job::erase{};
  co_await tell_jobs(x, std::move(id), std::move(jobs), std::move(command));
}

task<response> list_all(request_context& x) {
  const auto wanted = text_page_of(query_of<page_query>(x), 1);
  const auto limit = wanted.limit.value_or(object_rows);
  const auto question = [wanted, limit](reader& from) {
    board_list out;
    out.boards = board::boards_page(from, wanted.after[0], limit + 1);
    if (static_cast<std::int64_t>(out.boards.size()) > limit) {
      out.boards.pop_back();
      out.next_cursor = cursor_text(text_cursor{out.boards.back().id});
    }
    out.count = static_cast<std::int64_t>(out.boards.size());
    return out;
  };
  const auto found = co_await read(x, question);
  response r{200, to_json(found)};
  if (found.next_cursor)
    link_next(x, r, text_cursor{found.boards.back().id});
  co_return r;
}

}  // namespace

task<std::int64_t> tell_jobs(request_context& x, std::string board, std::vector<std::string> job_ids,
                             board_job::command what) {
  using job_kind = board_job::kind;
  std::int64_t removed = 0;
  std::optional<refusal> no;
  const auto answered = [&](std::size_t, const job_kind::result& result) {
    const auto* one = std::get_if<board_job::removed>(&result);
    removed += one && one->is_gone;
  };
  const auto lost = [&](std::size_t, const refusal& why) {
    if (why.what != code::not_found)
      no = why;
  };
  // In portions, so that a refusal stops the rest.
  for (std::size_t begin = 0; begin < job_ids.size() && !no; begin += parts_at_once) {
    const auto count = std::min(parts_at_once, job_ids.size() - begin);
    const auto make = [&](std::size_t i) { return part<job_kind>{board_job::key_of(board, job_ids[begin + i]), what}; };
    co_await for_each_part<job_kind>(x, count, make, answered, lost);
  }
  if (no)
    throw refused{*no};
  co_return removed;
}

task<response> list_boards(request_context& x) { return x.query_value("id") ? show_board(x) : list_all(x); }

task<response> put_board(request_context& x) {
  const auto body = parsed_body(x, body_size::usual);
  auto b = read_as<put_board_body>(body.root());
  const auto id = std::move(b.id);
  board::command command = std::move(b.what);
  idempotency_key(x);
  auto a = co_await ask<kind>(x, id, std::move(command), asking::command);
  const auto version = a.version;
  const bool is_fresh = !a.again;
  auto r = written<board::board>(std::move(a));
  if (is_fresh)
    r.headers.emplace_back("ETag", etag(version));
  if (r.status == 201)
    r.headers.emplace_back("Location", "/api/crawler/boards/" + id);
  co_return r;
}

task<response> show_board(request_context& x) {
  const auto found = co_await found_board(x, board_id(x));
  if (auto same = not_modified(x, found.version))
    co_return std::move(*same);
  co_return response{200, to_json(found), {{"ETag", etag(found.version)}}};
}

task<response> delete_board(request_context& x) {
  const auto id = board_id(x);
  idempotency_key(x);
  auto before = co_await earlier_answer(x, kind::name, id);
  if (before)
    co_return replayed(std::move(*before));
  const auto found = co_await found_board(x, id);
  require_version(x, found.version);
  co_await require_unclaimed(x, id);
  co_await delete_jobs(x, id);
  board::command command = board::erase{};
  auto a = co_await ask<kind>(x, id, std::move(command), asking::final_part);
  co_return written<board::board>(std::move(a), board::erase::answers);
}

}  // namespace callboard::http
