#include "http/api/opening/openings.hpp"

#include "actors/opening/reads.hpp"
#include "actors/opening/rules.hpp"
#include "http/api/ask.hpp"
#include "http/api/bodies.hpp"
#include "http/api/etags.hpp"
#include "http/api/opening/names.hpp"
#include "http/api/pages.hpp"
#include "http/api/queries.hpp"
#include "http/api/results.hpp"

namespace callboard::http {
namespace {

using opening::kind;
using persistence::reader;

/// A Job says its version; the answer to its creation also says where it is.
response with_version(response r, bool is_new) {
  std::string why;
  const auto document = json_document::parse(r.body, why);
  const auto version = document ? document->root().find("version") : std::nullopt;
  const auto id = document ? document->root().find("id") : std::nullopt;
  if (version)
    r.headers.emplace_back("ETag", etag(version->integer()));
  if (id && is_new)
    r.headers.emplace_back("Location", "/api/jobs/" + std::to_string(id->integer()));
  return r;
}

response job_written(answer<kind> a, success how) {
  const bool is_new = how == success::created;
  // A replayed answer is only text.
  if (a.again)
    return with_version(replayed(std::move(*a.again)), is_new);
  const auto id = std::get<opening::job>(a.result).id;
  const auto version = a.version;
  auto r = written<opening::job>(std::move(a), how);
  r.headers.emplace_back("ETag", etag(version));
  if (is_new)
    r.headers.emplace_back("Location", "/api/jobs/" + std::to_string(id.value));
  return r;
}

/// A list with names, as text. Filled in and rendered on a reader's thread: a long list would hold up the io thread.
template <class List>
task<std::string> with_names(request_context& x, List list) {
  auto shared = std::make_shared<List>(std::move(list));
  const auto question = [shared](reader& from) {
    opening::fill_names(from, *shared);
    return to_json(shown(std::move(*shared)));
  };
  co_return co_await read(x, question);
}

opening::cursor cursor_of(const page& p) { return {p.after[0], p.after[1]}; }

response versioned(const request_context& x, std::string body, std::int64_t version,
                   const std::optional<opening::cursor>& next) {
  response r{200, std::move(body), {{"ETag", etag(version)}}};
  if (next)
    link_next(x, r, {next->live, next->rank});
  return r;
}

/// Asks for a list of one opening and answers with its names, unless the caller has that version already.
template <class List, class Question>
task<response> show_list(request_context& x) {
  const auto path = path_id(x, 0, "jobId");
  const auto wanted = page_of(query_of<page_query>(x), 2);
  opening::command question = Question{wanted.limit.value_or(0), cursor_of(wanted)};
  auto a = co_await ask<kind>(x, opening_key(path), std::move(question), asking::question);
  if (auto same = not_modified(x, a.version))
    co_return std::move(*same);
  auto list = std::get<List>(std::move(a.result));
  const auto next = list.next;
  auto body = co_await with_names(x, std::move(list));
  co_return versioned(x, std::move(body), a.version, next);
}

}  // namespace

std::string opening_key(std::int64_t id) {
  if (id > opening::opening_id_max)
    not_found("Job", id);
  return std::to_string(id);
}

task<response> list_jobs(request_context& x) {
  const auto wanted = page_of(query_of<page_query>(x), 2);
  const auto question = [wanted](reader& from) {
    const auto fetch = [&](const cursor& after, std::int64_t limit) {
      return opening::jobs_page(from, {from_ms(after[0]), opening::opening_id{after[1]}}, limit);
    };
    return rendered(wanted, fetch, [](const opening::job& j) { return cursor{to_ms(j.created_at), j.id.value}; });
  };
  auto jobs = co_await read(x, question);
  co_return to_response(x, std::move(jobs));
}

task<response> create_job(request_context& x) {
  opening::command command = body_of<opening::create>(x);
  const auto id = x.app.node.fresh_id("openings");
  if (!id)
    throw refused{not_applied()};
  auto a = co_await ask<kind>(x, std::to_string(*id), std::move(command), asking::creation);
  co_return job_written(std::move(a), opening::create::answers);
}

task<response> show_job(request_context& x) { return show_list<opening::pipeline, opening::show_pipeline>(x); }

task<response> show_queue(request_context& x) { return show_list<opening::queue, opening::show_queue>(x); }

task<response> update_job(request_context& x) {
  const auto path = path_id(x, 0, "jobId");
  opening::command command = body_of<opening::update>(x);
  auto a = co_await ask<kind>(x, opening_key(path), std::move(command), asking::command);
  co_return job_written(std::move(a), opening::update::answers);
}

task<response> show_summary(request_context& x) {
  const auto path = path_id(x, 0, "jobId");
  opening::command question = opening::show_summary{};
  auto a = co_await ask<kind>(x, opening_key(path), std::move(question), asking::question);
  if (auto same = not_modified(x, a.version))
    co_return std::move(*same);
  co_return response{200, to_json(std::get<opening::summary>(a.result)), {{"ETag", etag(a.version)}}};
}

}  // namespace callboard::http
