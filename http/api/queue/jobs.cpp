#include "http/api/queue/jobs.hpp"

#include "actors/queue/reads.hpp"
#include "actors/queue/rules.hpp"
#include "base/json_read.hpp"
#include "http/api/ask.hpp"
#include "http/api/bodies.hpp"
#include "http/api/long_poll.hpp"
#include "http/api/queue/bodies.hpp"
#include "http/api/queue/payloads.hpp"
#include "http/api/queue/views.hpp"
#include "http/api/results.hpp"
#include "http/api/service.hpp"

#include <algorithm>
#include <map>

namespace callboard::http {
namespace {

using persistence::reader;
using queue::kind;

// Enqueue

/// Enqueued but only its row can tell how it stands.
task<queue::job_view> from_row(request_context& x, std::string id, std::string of) {
  const auto question = [id, of](reader& from) { return queue::find_jobs(from, id, of); };
  auto found = co_await read(x, question);
  if (found.empty())
    throw refused{{code::not_found, "Job " + id + " not found", {}}};
  co_return std::move(found.front());
}

/// A result of an earlier answer again; what was too long to be kept is only counted.
template <class Result>
std::optional<Result> again(const answer<kind>& a) {
  if (!a.again)
    return std::get<Result>(a.result);
  if (a.again->body.starts_with(R"({"count":)"))
    return std::nullopt;
  return from_own_json<Result>(a.again->body);
}

response marked(response r, const answer<kind>& a) {
  if (a.again)
    r.headers.emplace_back("Idempotency-Replayed", "true");
  return r;
}

std::string location_of(const std::string& id) {
  std::string out = "/api/work/jobs/";
  for (const char c : id)
    out += c == '/' ? "%2F" : std::string(1, c);
  return out;
}

// Leases

/// A lease that cannot be: either the job is unknown, or it is somebody else's by now.
task<refusal> wrong_lease(request_context& x, std::string id, std::optional<std::string> of, refusal otherwise) {
  const auto question = [id, of](reader& from) { return queue::find_jobs(from, id, of).size(); };
  if (co_await read(x, question) == 0)
    co_return refusal{code::not_found, "Job " + id + " not found", {}};
  co_return otherwise;
}

refusal stale(const std::string& id) {
  return {code::stale_lease, "Job " + id + " is not leased under this token", {}};
}

/// Sends what a worker says about the job in the path to the queue that its token names.
template <class Make>
task<answer<kind>> tell(request_context& x, std::string token, Make make) {
  const auto id = job_id(x);
  const auto lease = lease_in(token);
  auto no = stale(id);
  if (lease) {
    queue::command command = make(id, lease->token);
    auto here = send<kind>(x, lease->queue, std::move(command), asking::command);
    try {
      co_return co_await received(std::move(here));
    } catch (refused& e) {
      if (e.why.what != code::stale_lease)
        throw;
      no = std::move(e.why);
    }
  }
  std::optional<std::string> of;
  if (lease)
    of = lease->queue;
  auto why = co_await wrong_lease(x, id, std::move(of), std::move(no));
  throw refused{std::move(why)};
}

std::optional<std::string> results_in(std::optional<raw_json> value) {
  if (!value)
    return std::nullopt;
  check_size("results", value->text.size(), results_bytes_max);
  return std::move(value->text);
}

// Batches of completions: one command per queue, each job answered on its own

struct told {
  std::shared_ptr<future<answer<kind>>> here;
  std::vector<std::size_t> positions;  ///< of its jobs in the request
};

shown_result shown(queue::job_result r) {
  shown_result out{std::move(r.id), r.status, {}, r.completed_at, r.run_at, {}, {}};
  if (r.status)
    out.attempts = r.attempts;
  if (r.cancel_requested)
    out.cancel_requested = true;
  if (r.error)
    out.error = result_error{*r.error, std::move(r.message)};
  return out;
}

response result_response(const answer<kind>& a) {
  return marked({200, to_json(shown(again<queue::job_result>(a).value()))}, a);
}

/// A lease of a job that nobody knows is not stale.
task<void> tell_unknown(request_context& x, const std::vector<named_completion>& asked,
                        std::vector<queue::job_result>& out) {
  std::vector<std::pair<std::size_t, std::optional<std::string>>> in_doubt;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].error == code::stale_lease) {
      const auto lease = lease_in(asked[i].token);
      in_doubt.emplace_back(i, lease ? std::optional{lease->queue} : std::nullopt);
    }
  if (in_doubt.empty())
    co_return;
  std::vector<std::string> wanted;
  for (const auto& [i, of] : in_doubt)
    wanted.push_back(asked[i].id);
  const auto question = [wanted](reader& from) { return queue::known_jobs(from, wanted); };
  const auto known = co_await read(x, question);
  for (const auto& [i, of] : in_doubt) {
    const auto& id = asked[i].id;
    const auto is_it = [&id = id, &of = of](const auto& job) { return job.second == id && (!of || job.first == *of); };
    if (std::none_of(known.begin(), known.end(), is_it)) {
      out[i].error = code::not_found;
      out[i].message = "Job " + id + " not found";
    }
  }
}

queue::job_result stale_result(const std::string& id) {
  const auto no = stale(id);
  return {id, {}, 0, {}, {}, false, no.what, no.message};
}

}  // namespace

task<response> enqueue_work(request_context& x) {
  auto wanted = jobs_in(x);
  const bool is_one = wanted.command.is_one;
  queue::job_payload brought;
  if (is_one)
    brought = queue::payload_in(wanted.command.jobs.front());
  wanted.command.names_ids = wanted.names_ids;
  queue::command command = std::move(wanted.command);
  auto a = co_await ask<kind>(x, std::move(wanted.queue), std::move(command), asking::command);
  if (!is_one)
    co_return a.again ? replayed(std::move(*a.again)) : response{201, to_json(std::get<queue::accepted>(a.result))};
  auto one = again<queue::one_job>(a).value();
  if (one.is_finished)
    one.job = co_await from_row(x, one.job.id, one.job.queue);
  else if (!one.deduplicated)
    queue::fill_in(one.job, std::move(brought));
  else {
    std::vector<queue::job_view> jobs{std::move(one.job)};
    co_await attach_payloads(x, jobs);
    one.job = std::move(jobs.front());
  }
  const auto how = one.how();
  const auto shown = enqueued_job{std::move(one.job), one.deduplicated};
  response r{status_of(how), to_json(shown)};
  if (!shown.deduplicated)
    r.headers.emplace_back("Location", location_of(shown.job.id));
  co_return marked(std::move(r), a);
}

task<response> claim_work(request_context& x) {
  auto wanted = claim_in(x);
  const bool may_wait = wanted.command.wait_s > 0;
  queue::command command = std::move(wanted.command);
  auto t = make_ticket<kind>(x, wanted.queue, std::move(command), asking::command);
  if (may_wait)
    let_wait(x, t);
  auto here = t->get_future();
  x.app.node.send(std::move(t));
  auto a = co_await received(std::move(here));
  auto claimed = again<queue::claimed_jobs>(a);
  if (!claimed)
    co_return replayed(std::move(*a.again));
  queue::release back;
  for (const auto& j : claimed->jobs)
    back.jobs.push_back({j.id, lease_in(*j.lease_token)->token, {}});
  // Under a key the same answer is promised to whoever asks again: then the lease stays until that or its end.
  const bool keeps = back.jobs.empty() || idempotency_key(x);
  auto& node = x.app.node;
  auto give_back = [&node, who = x.who, by = x.by, of = std::move(wanted.queue), back = std::move(back)] {
    auto r = std::make_shared<actors::system_request<kind>>();
    r->target = {kind::name, of};
    r->command = back;
    r->by = by;
    r->who = who;
    node.send(std::move(r));
  };
  try {
    co_await attach_payloads(x, claimed->jobs);
  } catch (...) {
    if (!keeps)
      give_back();
    throw;
  }
  response r{200, to_json(*claimed)};
  if (!keeps)
    r.undelivered = std::move(give_back);
  co_return marked(std::move(r), a);
}

task<response> beat_work(request_context& x) {
  auto b = body_of<heartbeat_body>(x);
  auto progress = b.progress ? std::optional{progress_in(*b.progress)} : std::nullopt;
  if (b.checkpoint)
    check_size("checkpoint", b.checkpoint->text.size(), data_bytes_max);
  auto checkpoint = b.checkpoint ? std::optional{std::move(b.checkpoint->text)} : std::nullopt;
  const auto make = [&](const std::string& id, std::int64_t token) {
    return queue::heartbeat{id, token, std::move(progress), std::move(b.message), std::move(checkpoint)};
  };
  auto a = co_await tell(x, std::move(b.token), make);
  response r{200, to_json(again<queue::beat>(a).value())};
  co_return marked(std::move(r), a);
}

task<response> complete_work(request_context& x) {
  auto b = body_of<completion_body>(x, body_size::bulk);
  auto results = results_in(std::move(b.results));
  const auto make = [&](const std::string& id, std::int64_t token) {
    return queue::complete{{{id, token, std::move(results)}}, true};
  };
  auto a = co_await tell(x, std::move(b.token), make);
  co_return result_response(a);
}

task<response> fail_work(request_context& x) {
  auto b = body_of<failure_body>(x);
  const auto make = [&](const std::string& id, std::int64_t token) {
    return queue::fail{
        id, token, std::move(b.error), std::move(b.error_code), b.retry_after_s, b.permanent.value_or(false)};
  };
  auto a = co_await tell(x, std::move(b.token), make);
  co_return result_response(a);
}

task<response> release_work(request_context& x) {
  auto b = body_of<completion_body>(x);
  const auto make = [](const std::string& id, std::int64_t token) { return queue::release{{{id, token, {}}}, true}; };
  auto a = co_await tell(x, std::move(b.token), make);
  co_return result_response(a);
}

task<response> complete_many(request_context& x) {
  auto b = body_of<completions_body>(x, body_size::bulk);
  if (b.jobs.empty() || b.jobs.size() > queue::batch_max)
    invalid("jobs", "must have 1 to " + std::to_string(queue::batch_max) + " items");
  std::vector<queue::job_result> out(b.jobs.size());
  std::map<std::string, std::pair<queue::complete, std::vector<std::size_t>>> by_queue;
  for (std::size_t i = 0; i < b.jobs.size(); ++i) {
    auto& j = b.jobs[i];
    check_job_name("jobs[" + std::to_string(i) + "].id", j.id);
    auto results = results_in(std::move(j.results));
    const auto lease = lease_in(j.token);
    out[i] = stale_result(j.id);
    if (!lease)
      continue;
    auto& [command, positions] = by_queue[lease->queue];
    command.jobs.push_back({j.id, lease->token, std::move(results)});
    positions.push_back(i);
  }
  std::vector<told> all;
  for (auto& [name, request] : by_queue) {
    queue::command command = std::move(request.first);
    all.push_back({send<kind>(x, name, std::move(command), asking::command), std::move(request.second)});
  }
  bool replays = false;
  for (auto& one : all) {
    answer<kind> a;
    try {
      a = co_await received(std::move(one.here));
    } catch (const refused& no) {
      // Of several queues each answers for itself.
      if (all.size() == 1)
        throw;
      for (const auto i : one.positions) {
        out[i].error = no.why.what;
        out[i].message = no.why.message;
      }
      continue;
    }
    auto job_results = again<queue::job_results>(a);
    if (!job_results)
      co_return replayed(std::move(*a.again));
    replays = replays || a.again;
    for (std::size_t i = 0; i < one.positions.size(); ++i)
      out[one.positions[i]] = std::move(job_results->jobs[i]);
  }
  co_await tell_unknown(x, b.jobs, out);
  shown_results results;
  for (auto& one : out)
    results.jobs.push_back(shown(std::move(one)));
  response r{200, to_json(results)};
  if (replays)
    r.headers.emplace_back("Idempotency-Replayed", "true");
  co_return r;
}

}  // namespace callboard::http
