#include "actors/queue/reads.hpp"
#include "actors/queue/rules.hpp"
#include "http/api/ask.hpp"
#include "http/api/bodies.hpp"
#include "http/api/bulk.hpp"
#include "http/api/pages.hpp"
#include "http/api/queries.hpp"
#include "http/api/queue/bodies.hpp"
#include "http/api/queue/jobs.hpp"
#include "http/api/queue/payloads.hpp"
#include "http/api/queue/views.hpp"
#include "http/api/results.hpp"
#include "http/api/service.hpp"
#include "http/transport/responses.hpp"

// How those who run a queue look at it and change it.

namespace callboard::http {
namespace {

using persistence::reader;
using queue::kind;

refusal no_job(const std::string& id) { return {code::not_found, "Job " + id + " not found", {}}; }

/// The one job of this id; which of several has to be said.
task<queue::job_view> find_job(request_context& x, std::string id, std::optional<std::string> of) {
  const auto question = [id, of](reader& from) { return queue::find_jobs(from, id, of); };
  auto found = co_await read(x, question);
  if (found.empty())
    throw refused{no_job(id)};
  if (found.size() > 1)
    throw refused{{code::ambiguous_id, "Several queues have a job " + id + "; say which by ?queue=", {}}};
  co_return std::move(found.front());
}

task<std::vector<std::string>> queues_meant(request_context& x, std::optional<std::string> one) {
  if (one) {
    std::vector<std::string> only{std::move(*one)};
    co_return only;
  }
  const auto question = [](reader& from) { return queue::queue_names(from); };
  co_return co_await read(x, question);
}

/// The queue that stores the response of a bulk command.
std::string record_owner(const std::optional<std::string>& of) {
  return of.value_or(std::string{queue::default_queue});
}

/// The answer, remembered now that the last of the queues has committed.
template <class Total>
task<response> respond_and_store(request_context& x, std::optional<std::string> of, Total response_body) {
  response r{200, to_json(response_body)};
  queue::command command = queue::store_response{response_body};
  co_return co_await stored<kind>(x, record_owner(of), std::move(command), std::move(r));
}

/// One decision of a bulk command; it has no record of its own. Once one was committed, a later failure is no longer
/// "nothing was written".
task<queue::swept> sweep(request_context& x, std::string of, queue::command c, bool has_begun) {
  auto here = send_part<kind>(x, std::move(of), std::move(c));
  try {
    auto a = co_await received(std::move(here));
    co_return std::get<queue::swept>(a.result);
  } catch (const refused& no) {
    if (has_begun && status_of(no.why.what) == 503)
      throw refused{{code::outcome_unknown, "Part of it was done; ask again for the rest", {}}};
    throw;
  }
}

struct rendered_jobs {
  work_jobs list;
  std::optional<text_cursor> next;
};

/// data.x or metadata.x.y
bool is_member(std::string_view path) {
  const bool begins = path.starts_with("data.") || path.starts_with("metadata.");
  return begins && !path.ends_with('.') && path.find("..") == std::string_view::npos;
}

response settings_response(answer<kind> a) { return written<queue::settings_view>(std::move(a), success::ok); }

task<response> configured(request_context& x, queue::configure request) {
  const auto name = x.parameters.at(0);
  check_queue("name", name);
  queue::command command = std::move(request);
  auto a = co_await ask<kind>(x, name, std::move(command), asking::command);
  co_return settings_response(std::move(a));
}

/// Asks every queue at once.
template <class Question>
std::vector<std::shared_ptr<future<answer<kind>>>> ask_all(request_context& x, const std::vector<std::string>& names,
                                                           const Question& question) {
  std::vector<std::shared_ptr<future<answer<kind>>>> out;
  for (const auto& name : names)
    out.push_back(send<kind>(x, name, question, asking::question));
  return out;
}

}  // namespace

task<response> cancel_work(request_context& x) {
  auto b = body_of<cancel_job_body>(x);
  const auto id = job_id(x);
  auto of = b.queue ? b.queue : query_of<queue_query>(x).queue;
  if (of)
    check_queue("queue", *of);
  const auto found = co_await find_job(x, id, std::move(of));
  queue::command command = queue::cancel{id, std::move(b.reason)};
  auto here = send<kind>(x, found.queue, std::move(command), asking::command);
  bool is_over = false;
  try {
    auto a = co_await received(std::move(here));
    co_return written<queue::job_result>(std::move(a), success::ok);
  } catch (const refused& no) {
    is_over = no.why.what == code::not_found;
    if (!is_over)
      throw;
  }
  throw refused{{code::conflict, "Job " + id + " is over already", {}}};
}

task<response> cancel_many(request_context& x) {
  auto b = body_of<cancel_jobs_body>(x);
  if (b.queue)
    check_queue("queue", *b.queue);
  if (b.type)
    check_job_name("job_type", *b.type);
  using queue::status;
  if (b.status && *b.status != status::pending && *b.status != status::scheduled && *b.status != status::processing)
    invalid("status", "must be pending, scheduled or processing");
  auto before = co_await earlier_answer(x, kind::name, record_owner(b.queue));
  if (before)
    co_return replayed(std::move(*before));
  const auto names = co_await queues_meant(x, b.queue);
  queue::cancel_total total;
  for (const auto& name : names)
    for (std::optional<std::int64_t> at = 0; at;) {
      queue::command request = queue::cancel_matching{b.type, b.status, b.reason, *at};
      const auto done = co_await sweep(x, name, std::move(request), total.cancelled + total.flagged > 0);
      total.cancelled += done.moved;
      total.flagged += done.flagged;
      at = done.next;
    }
  co_return co_await respond_and_store(x, b.queue, total);
}

task<response> show_work(request_context& x) {
  const auto id = job_id(x);
  auto found = co_await find_job(x, id, checked_queue(query_of<queue_query>(x).queue));
  co_return response{200, to_json(found)};
}

task<response> list_work(request_context& x) {
  const auto q = query_of<work_jobs_query>(x);
  const auto wanted = text_page_of(q, 2);
  queue::job_filter filter;
  filter.is = q.status;
  filter.type = q.type;
  if (filter.type)
    check_job_name("job_type", *filter.type);
  filter.queue = checked_queue(q.queue);
  const auto question = [wanted, filter](reader& from) {
    constexpr std::int64_t rows_per_fetch = 50;  // they may be large
    const auto limit = wanted.limit.value_or(object_rows);
    rendered_jobs out;
    auto& text = out.list.jobs.text;
    text = "[";
    auto after = wanted.after;
    std::int64_t rows = 0;
    for (bool more = true; more;) {
      // One row too many tells that there is a next page.
      const auto part = std::min(rows_per_fetch, limit - rows + 1);
      const auto found = queue::jobs_page(from, filter, after[0], after[1], part);
      more = static_cast<std::int64_t>(found.size()) == part;
      for (const auto& j : found) {
        if (rows == limit || text.size() > page_bytes_max) {
          out.next = after;
          out.list.next_cursor = cursor_text(after);
          more = false;
          break;
        }
        text += rows++ == 0 ? "" : ",";
        write_json(text, j);
        after = {j.queue, j.id};
      }
    }
    text += ']';
    return out;
  };
  const auto page = co_await read(x, question);
  response r{200, to_json(page.list)};
  if (page.next)
    link_next(x, r, *page.next);
  co_return r;
}

task<response> explain_work(request_context& x) {
  const auto id = job_id(x);
  const auto found = co_await find_job(x, id, checked_queue(query_of<queue_query>(x).queue));
  queue::command question = queue::explain{id};
  auto here = send<kind>(x, found.queue, std::move(question), asking::question);
  try {
    auto a = co_await received(std::move(here));
    co_return response{200, to_json(std::get<queue::explanation>(a.result))};
  } catch (const refused& no) {
    if (no.why.what != code::not_found)
      throw;
  }
  const auto over = co_await find_job(x, id, found.queue);
  const queue::explanation finished{
      id, over.queue,        over.status, "finished", "It is over: " + std::string{name(over.status)},
      {}, over.completed_at, {},          {}};
  co_return response{200, to_json(finished)};
}

task<response> show_work_stats(request_context& x) {
  const auto names = co_await queues_meant(x, checked_queue(query_of<queue_query>(x).queue));
  auto all = ask_all(x, names, queue::show_stats{});
  queue_stats out;
  for (auto& one : all) {
    auto a = co_await received(std::move(one));
    out.queues.push_back(std::move(std::get<queue::stats>(a.result)));
  }
  co_return response{200, to_json(out)};
}

task<response> list_dead(request_context& x) {
  const auto q = query_of<dead_query>(x);
  const auto wanted = text_page_of(q, 2);
  const auto limit = wanted.limit.value_or(object_rows);
  const auto names = co_await queues_meant(x, checked_queue(q.queue));
  std::vector<queue::dead_group> groups;
  std::optional<text_cursor> next;
  for (const auto& name : names) {
    if (name < wanted.after[0])
      continue;
    if (static_cast<std::int64_t>(groups.size()) == limit) {
      next = text_cursor{groups.back().queue, groups.back().fingerprint};
      break;
    }
    queue::command question = queue::show_dead{name == wanted.after[0] ? wanted.after[1] : std::string{},
                                               limit - static_cast<std::int64_t>(groups.size())};
    auto a = co_await ask<kind>(x, name, std::move(question), asking::question);
    auto& found = std::get<queue::dead_groups>(a.result);
    groups.insert(groups.end(), std::move_iterator{found.groups.begin()}, std::move_iterator{found.groups.end()});
    if (found.has_more) {
      next = text_cursor{groups.back().queue, groups.back().fingerprint};
      break;
    }
  }
  std::vector<queue::job_view> last;
  for (const auto& g : groups) {
    last.emplace_back();
    last.back().id = g.last_id;
    last.back().queue = g.queue;
  }
  co_await attach_payloads(x, last);
  for (std::size_t i = 0; i < groups.size(); ++i)
    groups[i].error = std::move(last[i].error);
  const dead_list out{std::move(groups), next ? std::optional{cursor_text(*next)} : std::nullopt};
  response r{200, to_json(out)};
  if (next)
    link_next(x, r, *next);
  co_return r;
}

task<response> redrive_dead(request_context& x) {
  auto b = body_of<redrive_body>(x);
  if (!b.ids && !b.type && !b.error_code && !b.fingerprint)
    invalid("", "One of ids, job_type, error_code and fingerprint must say what is meant");
  if (b.ids && b.ids->size() > queue::batch_max)
    invalid("ids", "must have at most " + std::to_string(queue::batch_max) + " items");
  if (b.queue)
    check_queue("queue", *b.queue);
  auto before = co_await earlier_answer(x, kind::name, record_owner(b.queue));
  if (before)
    co_return replayed(std::move(*before));
  const auto names = co_await queues_meant(x, b.queue);
  const auto began = x.app.node.now();
  std::int64_t total = 0;
  for (const auto& name : names)
    for (bool more = true; more;) {
      queue::command request =
          queue::redrive{b.ids, b.type, b.error_code, b.fingerprint, b.rate_per_s, 0, total, began};
      const auto done = co_await sweep(x, name, std::move(request), total > 0);
      total += done.moved;
      more = done.next.has_value();
    }
  co_return co_await respond_and_store(x, b.queue, queue::redrive_total{total});
}

task<response> list_queues(request_context& x) {
  const auto names = co_await queues_meant(x, std::nullopt);
  auto all = ask_all(x, names, queue::show_settings{});
  queue_list out;
  for (auto& one : all) {
    auto a = co_await received(std::move(one));
    out.queues.push_back(std::move(std::get<queue::settings_view>(a.result)));
  }
  co_return response{200, to_json(out)};
}

task<response> show_queue_settings(request_context& x) {
  const auto of = x.parameters.at(0);
  check_queue("name", of);
  queue::command question = queue::show_settings{};
  auto a = co_await ask<kind>(x, of, std::move(question), asking::question);
  co_return settings_response(std::move(a));
}

task<response> change_queue(request_context& x) {
  auto request = body_of<queue::configure>(x);
  if (request.per_key && *request.per_key && !is_member((*request.per_key)->key))
    invalid("per_key.key", "must name a member of data or metadata, as in data.user_id");
  return configured(x, std::move(request));
}

task<response> pause_queue(request_context& x) {
  body_of<no_members>(x);
  queue::configure request;
  request.paused = true;
  return configured(x, std::move(request));
}

task<response> resume_queue(request_context& x) {
  body_of<no_members>(x);
  queue::configure request;
  request.paused = false;
  return configured(x, std::move(request));
}

}  // namespace callboard::http
