#include "http/api/board/board_jobs.hpp"

#include "actors/board_job/reads.hpp"
#include "actors/board_job/rules.hpp"
#include "http/api/ask.hpp"
#include "http/api/board/claims.hpp"
#include "http/api/board/ingest.hpp"
#include "http/api/board/job_filters.hpp"
#include "http/api/bodies.hpp"
#include "http/api/etags.hpp"
#include "http/api/pages.hpp"
#include "http/api/queries.hpp"
#include "http/api/results.hpp"

#include <charconv>

namespace callboard::http {
namespace {

using board_job::kind;
using persistence::reader;

std::int64_t number_in(std::string_view digits) {
  std::int64_t n = 0;
  const auto* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, n);
  if (!digits.empty() && (read.ec != std::errc{} || read.ptr != end || n < 0))
    invalid("cursor", "must be a cursor of this list");
  return n;
}

text_cursor cursor_of(const board_job::job& j) { return {std::to_string(to_ms(j.discovered_at)), j.board, j.job_id}; }

/// At most so many; one row too many tells that there is a next page.
job_list listed(reader& from, const board_job::job_filter& f, const board_job::job_place& after, std::int64_t limit) {
  job_list out;
  out.jobs = board_job::jobs_page(from, f, after, limit + 1);
  if (static_cast<std::int64_t>(out.jobs.size()) > limit) {
    out.jobs.pop_back();
    out.next_cursor = cursor_text(cursor_of(out.jobs.back()));
  }
  out.count = static_cast<std::int64_t>(out.jobs.size());
  return out;
}

[[noreturn]] void no_job(const std::string& board, const std::string& job_id) {
  throw refused{{code::not_found, "Job '" + job_id + "' of board '" + board + "' not found", {}}};
}

task<response> show_one(request_context& x) {
  const auto q = query_of<board_job_query>(x);
  const auto question = [q](reader& from) { return board_job::find_job(from, q.board, q.job_id); };
  const auto found = co_await read(x, question);
  if (!found)
    no_job(q.board, q.job_id);
  if (auto same = not_modified(x, found->version))
    co_return std::move(*same);
  co_return response{200, to_json(*found), {{"ETag", etag(found->version)}}};
}

task<response> show_all(request_context& x) {
  const auto q = query_of<board_jobs_query>(x);
  const auto wanted = text_page_of(q, 3);
  board_job::job_filter filter{q.board, q.status, {}};
  if (q.tag)
    filter.tags.push_back({lower_case(*q.tag)});
  const board_job::job_place after{from_ms(number_in(wanted.after[0])), wanted.after[1], wanted.after[2]};
  const auto question = [=](reader& from) { return listed(from, filter, after, wanted.limit.value_or(object_rows)); };
  const auto list = co_await read(x, question);
  response r{200, to_json(list)};
  if (list.next_cursor)
    link_next(x, r, cursor_of(list.jobs.back()));
  co_return r;
}

/// Runs with their artifacts until the page is full: one may have a megabyte of them.
struct rendered_runs {
  std::string text;
  std::optional<text_cursor> next;
};

rendered_runs runs_listed(reader& from, const std::optional<std::string>& board, const std::string& job_id,
                          const std::optional<board_job::run_place>& after, std::int64_t limit) {
  auto runs = board_job::runs_page(from, board, job_id, after, limit + 1);
  rendered_runs out;
  run_list list;
  auto& text = list.runs.text;
  text = "[";
  for (auto& one : runs) {
    if (list.count == limit || text.size() >= page_bytes_max) {
      const auto& last = runs[static_cast<std::size_t>(list.count) - 1];
      out.next = text_cursor{std::to_string(to_ms(last.started_at)), last.run_id};
      list.next_cursor = cursor_text(*out.next);
      break;
    }
    if (auto artifacts = board_job::artifacts_of(from, one.run_id))
      one.artifacts = raw_json{std::move(*artifacts)};
    text += list.count++ == 0 ? "" : ",";
    write_json(text, one);
    one.artifacts.reset();
  }
  text += ']';
  out.text = to_json(list);
  return out;
}

task<response> show_runs(request_context& x) {
  const auto q = query_of<runs_query>(x);
  const auto wanted = text_page_of(q, 2);
  std::optional<board_job::run_place> after;
  if (q.cursor)
    after = board_job::run_place{from_ms(number_in(wanted.after[0])), wanted.after[1]};
  const auto question = [=](reader& from) {
    return runs_listed(from, q.board, q.runs_for, after, wanted.limit.value_or(object_rows));
  };
  auto list = co_await read(x, question);
  response r{200, std::move(list.text)};
  if (list.next)
    link_next(x, r, *list.next);
  co_return r;
}

task<response> retrieve_jobs(request_context& x, json_document body) {
  const auto b = read_as<retrieve_body>(body.root());
  auto filter = co_await filter_of(x, b.board, b.tag, b.user_id);
  filter.status = b.status.value_or(board_job::status::discovered);
  const auto limit = b.limit.value_or(object_rows);
  const auto question = [filter, limit](reader& from) {
    retrieved_jobs out;
    out.jobs = board_job::jobs_page(from, filter, {}, limit);
    out.count = static_cast<std::int64_t>(out.jobs.size());
    return to_json(out);
  };
  auto text = co_await read(x, question);
  co_return response{200, std::move(text)};
}

task<response> check_runs(request_context& x, json_document body) {
  const auto b = read_as<check_body>(body.root());
  const auto question = [b](reader& from) {
    return board_job::checked_runs(from, b.board, b.limit.value_or(object_rows));
  };
  const auto found = co_await read(x, question);
  co_return response{200, to_json(found)};
}

struct action_name {
  board_action action = board_action::run;
  static constexpr auto fields = std::tuple{field{"action", &action_name::action}};
};

task<response> act(request_context& x, json_document body) {
  switch (read_as<action_name>(body.root()).action) {
  case board_action::run:
    return claim_job(x, std::move(body));
  case board_action::claim_next:
    return claim_next_job(x, std::move(body));
  case board_action::retrieve:
    return retrieve_jobs(x, std::move(body));
  case board_action::check:
    break;
  }
  return check_runs(x, std::move(body));
}

response job_written(answer<kind> a, success how) {
  const auto version = a.version;
  const bool is_fresh = !a.again;
  auto r = written<board_job::job>(std::move(a), how);
  if (is_fresh)
    r.headers.emplace_back("ETag", etag(version));
  return r;
}

/// Only a person's words arrive here; what is no status at all is refused by the rules like any that cannot be set.
board_job::status wanted_status(std::string_view text) {
  return from_name<board_job::status>(text).value_or(board_job::status::queued);
}

task<response> set_status(request_context& x, json_document body) {
  const auto b = read_as<status_body>(body.root());
  idempotency_key(x);
  board_job::command command = board_job::set_status{wanted_status(b.status), b.force.value_or(false)};
  auto a = co_await ask<kind>(x, board_job::key_of(b.board, b.job_id), std::move(command), asking::command);
  co_return job_written(std::move(a), board_job::set_status::answers);
}

bool names(const json_value& body, std::string_view member) {
  const auto v = body.find(member);
  return v && !v->is_null();
}

}  // namespace

task<response> show_board_jobs(request_context& x) {
  if (x.query_value("runs_for"))
    return show_runs(x);
  return x.query_value("id") ? show_one(x) : show_all(x);
}

task<response> post_board_jobs(request_context& x) {
  auto body = parsed_body(x, body_size::bulk);
  const auto root = body.root();
  if (names(root, "action"))
    return act(x, std::move(body));
  if (!names(root, "jobs") && !names(root, "job_id"))
    invalid("", "The body must name an action, jobs or a job_id");
  return ingest_jobs(x, std::move(body));
}

task<response> patch_board_jobs(request_context& x) {
  auto body = parsed_body(x, body_size::usual);
  return names(body.root(), "run_id") ? report_run(x, std::move(body)) : set_status(x, std::move(body));
}

task<response> delete_board_job(request_context& x) {
  const auto q = query_of<board_job_deletion>(x);
  idempotency_key(x);
  board_job::command command = board_job::erase{};
  auto a = co_await ask<kind>(x, board_job::key_of(q.board, q.job_id), std::move(command), asking::command);
  co_return written<board_job::job>(std::move(a), board_job::erase::answers);
}

}  // namespace callboard::http
