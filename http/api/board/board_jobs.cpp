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
#include "http/api/results.hpp"

#include <array>
#include <charconv>

namespace callboard::http {
namespace {

using board_job::id_bounds;
using board_job::kind;
using persistence::reader;

inline constexpr integer_range limit_bounds{1, 1'000};

struct retrieve_body {
  std::optional<std::string> board;
  std::optional<board_job::status> status;
  std::optional<std::string> tag;
  std::optional<std::string> user_id;
  std::optional<std::int64_t> limit;
  static constexpr auto fields =
      std::tuple{field{"board", &retrieve_body::board, slug{}}, field{"status", &retrieve_body::status},
                 field{"tag", &retrieve_body::tag, text{1, 64}}, field{"user_id", &retrieve_body::user_id, id_bounds},
                 field{"limit", &retrieve_body::limit, limit_bounds}};
};

struct check_body {
  std::optional<std::string> board;
  std::optional<std::int64_t> limit;
  static constexpr auto fields =
      std::tuple{field{"board", &check_body::board, slug{}}, field{"limit", &check_body::limit, limit_bounds}};
};

struct status_body {
  std::string board;
  std::string job_id;
  std::string status;
  std::optional<bool> force;
  static constexpr auto fields =
      std::tuple{field{"board", &status_body::board, slug{}}, field{"job_id", &status_body::job_id, id_bounds},
                 field{"status", &status_body::status, text{1, 64}}, field{"force", &status_body::force}};
};

/// A list of jobs: how many, which, and where it goes on.
struct job_list {
  std::int64_t count = 0;
  std::vector<board_job::job> jobs;
  std::optional<std::string> next_cursor;
  static constexpr auto fields = std::tuple{field{"count", &job_list::count}, field{"jobs", &job_list::jobs},
                                            field{"next_cursor", &job_list::next_cursor}};
};

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

std::string required_query(const request_context& x, std::string_view name) {
  auto text = query_text(x, name);
  if (!text || text->empty())
    invalid(std::string{name}, "is required");
  return std::move(*text);
}

std::string board_in_query(const request_context& x) {
  auto board = required_query(x, "board");
  if (!is_slug(board))
    invalid("board", "must be the id of a board");
  return board;
}

[[noreturn]] void no_job(const std::string& board, const std::string& job_id) {
  throw refused{{code::not_found, "Job '" + job_id + "' of board '" + board + "' not found", {}}};
}

task<response> show_one(request_context& x) {
  const auto board = board_in_query(x);
  const auto job_id = required_query(x, "id");
  const auto question = [board, job_id](reader& from) { return board_job::find_job(from, board, job_id); };
  const auto found = co_await read(x, question);
  if (!found)
    no_job(board, job_id);
  if (auto same = not_modified(x, found->version))
    co_return std::move(*same);
  co_return response{200, to_json(*found), {{"ETag", etag(found->version)}}};
}

task<response> show_all(request_context& x) {
  const auto wanted = text_page_of(x, 3);
  board_job::job_filter filter;
  if (x.query_value("board"))
    filter.board = board_in_query(x);
  if (const auto text = x.query_value("status")) {
    filter.status = from_name<board_job::status>(*text);
    if (!filter.status)
      invalid("status", "must be one of discovered, queued, applied, expired, rejected");
  }
  if (auto tag = query_text(x, "tag"))
    filter.tags.push_back({lower_case(std::move(*tag))});
  const board_job::job_place after{from_ms(number_in(wanted.after[0])), wanted.after[1], wanted.after[2]};
  const auto question = [=](reader& from) { return listed(from, filter, after, wanted.limit.value_or(object_rows)); };
  const auto list = co_await read(x, question);
  response r{200, to_json(list)};
  if (list.next_cursor)
    link_next(x, r, cursor_of(list.jobs.back()));
  co_return r;
}

/// Runs with their artifacts as text, until the page is full: one may have a megabyte of them.
struct run_list {
  std::string text;
  std::optional<text_cursor> next;
};

run_list runs_listed(reader& from, const std::optional<std::string>& board, const std::string& job_id,
                     const std::optional<board_job::run_place>& after, std::int64_t limit) {
  auto runs = board_job::runs_page(from, board, job_id, after, limit + 1);
  run_list out;
  std::string list = "[";
  std::int64_t count = 0;
  for (auto& one : runs) {
    if (count == limit || list.size() >= page_bytes_max) {
      const auto& last = runs[static_cast<std::size_t>(count) - 1];
      out.next = text_cursor{std::to_string(to_ms(last.started_at)), last.run_id};
      break;
    }
    if (auto text = board_job::artifacts_of(from, one.run_id))
      one.artifacts = raw_json{std::move(*text)};
    list += count++ == 0 ? "" : ",";
    write_json(list, one);
    one.artifacts.reset();
  }
  out.text = R"({"count":)" + std::to_string(count) + R"(,"runs":)" + list + R"(],"next_cursor":)";
  write_json(out.text, out.next ? std::optional{cursor_text(*out.next)} : std::nullopt);
  out.text += '}';
  return out;
}

task<response> show_runs(request_context& x) {
  const auto wanted = text_page_of(x, 2);
  const auto job_id = required_query(x, "runs_for");
  const auto board = x.query_value("board") ? std::optional{board_in_query(x)} : std::nullopt;
  std::optional<board_job::run_place> after;
  if (x.query_value("cursor"))
    after = board_job::run_place{from_ms(number_in(wanted.after[0])), wanted.after[1]};
  const auto question = [=](reader& from) {
    return runs_listed(from, board, job_id, after, wanted.limit.value_or(object_rows));
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
    auto jobs = board_job::jobs_page(from, filter, {}, limit);
    const auto count = static_cast<std::int64_t>(jobs.size());
    return R"({"count":)" + std::to_string(count) + R"(,"jobs":)" + to_json(jobs) + '}';
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

/// What a POST may ask for by name.
struct action {
  std::string_view name;
  task<response> (*act)(request_context& x, json_document body);
};
constexpr std::array actions{
    action{"run", &claim_job},
    action{"claim_next", &claim_next_job},
    action{"retrieve", &retrieve_jobs},
    action{"check", &check_runs},
};

const action& action_in(const json_value& asked) {
  if (asked.kind() == json_value::type::string)
    for (const auto& a : actions)
      if (a.name == asked.string())
        return a;
  invalid("action", "must be one of run, claim_next, retrieve, check");
}

response job_written(answer<kind> a, success how) {
  const auto version = a.version;
  const bool is_fresh = !a.again;
  auto r = written<board_job::job>(std::move(a), how);
  if (is_fresh)
    r.headers.emplace_back("ETag", etag(version));
  return r;
}

/// Only a person's words arrive here; what is no status at all is refused by the rules like any that can not be set.
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
  if (names(root, "action")) {
    const auto& a = action_in(*root.find("action"));
    return a.act(x, std::move(body));
  }
  if (!names(root, "jobs") && !names(root, "job_id"))
    invalid("", "The body must name an action, jobs or a job_id");
  return ingest_jobs(x, std::move(body));
}

task<response> patch_board_jobs(request_context& x) {
  auto body = parsed_body(x, body_size::usual);
  return names(body.root(), "run_id") ? report_run(x, std::move(body)) : set_status(x, std::move(body));
}

task<response> delete_board_job(request_context& x) {
  const auto board = board_in_query(x);
  const auto job_id = required_query(x, "job_id");
  idempotency_key(x);
  board_job::command command = board_job::erase{};
  auto a = co_await ask<kind>(x, board_job::key_of(board, job_id), std::move(command), asking::command);
  co_return written<board_job::job>(std::move(a), board_job::erase::answers);
}

}  // namespace callboard::http
