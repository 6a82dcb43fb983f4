#include "http/api/board/claims.hpp"

#include "actors/board_job/reads.hpp"
#include "actors/board_job/rules.hpp"
#include "http/api/ask.hpp"
#include "http/api/board/artifacts.hpp"
#include "http/api/board/job_filters.hpp"
#include "http/api/bodies.hpp"
#include "http/api/results.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace callboard::http {
namespace {

using board_job::claim;
using board_job::id_bounds;
using board_job::kind;
using board_job::known_run;
using persistence::reader;

struct claim_body {
  std::string run_id;
  std::string board;
  std::string job_id;
  std::optional<std::string> variant_id;
  std::optional<std::string> user_id;
  std::optional<std::int64_t> ttl_s;
  static constexpr auto fields = std::tuple{
      field{"run_id", &claim_body::run_id, id_bounds},   field{"board", &claim_body::board, slug{}},
      field{"job_id", &claim_body::job_id, id_bounds},   field{"variant_id", &claim_body::variant_id, id_bounds},
      field{"user_id", &claim_body::user_id, id_bounds}, field{"ttl_s", &claim_body::ttl_s, board_job::ttl_bounds}};
};

struct claim_next_body {
  std::string run_id;
  std::optional<std::string> board;
  std::optional<std::string> tag;
  std::optional<std::string> variant_id;
  std::optional<std::string> user_id;
  std::optional<std::int64_t> ttl_s;
  static constexpr auto fields = std::tuple{field{"run_id", &claim_next_body::run_id, id_bounds},
                                            field{"board", &claim_next_body::board, slug{}},
                                            field{"tag", &claim_next_body::tag, text{1, 64}},
                                            field{"variant_id", &claim_next_body::variant_id, id_bounds},
                                            field{"user_id", &claim_next_body::user_id, id_bounds},
                                            field{"ttl_s", &claim_next_body::ttl_s, board_job::ttl_bounds}};
};

struct report_body {
  std::string run_id;
  std::optional<board_job::run_status> status;
  std::optional<std::string> error;
  std::optional<std::int64_t> lease_token;
  static constexpr auto fields =
      std::tuple{field{"run_id", &report_body::run_id, id_bounds}, field{"status", &report_body::status},
                 field{"error", &report_body::error, board_job::error_bounds},
                 field{"lease_token", &report_body::lease_token, integer_range{1, id_max}}};
};

/// Whose this run_id is; asked together with others.
task<std::optional<known_run>> find_known(request_context& x, std::string run_id) {
  auto to = std::make_shared<promise<std::optional<known_run>>>(x.io);
  auto here = to->get_future();
  x.app.known_runs.ask(std::move(run_id), [held = std::move(to)](bool asked, const known_run* found) {
    if (asked)
      held->send(found ? std::optional{*found} : std::nullopt);
    else
      held->refuse(not_applied());
  });
  co_return co_await received(std::move(here));
}

/// A claim whose run_id turned out to be somebody else's asks whose it is before it is decided again.
auto look_again(service& app) {
  return [&app](const actors::request_ptr& r) {
    auto again = std::static_pointer_cast<actors::request_to<kind>>(r);
    const auto run_id = std::get<claim>(again->command).run_id;
    app.known_runs.ask(run_id, [&app, again](bool asked, const known_run* found) {
      if (!asked)
        return again->fail(code::not_applied);
      std::get<claim>(again->command).known = found ? std::optional{*found} : std::nullopt;
      app.node.send(again);
    });
  };
}

constexpr std::int64_t candidates_max = 256;

/// A look-up may be outdated when it is decided on: then it is made once more.
constexpr int looks_max = 3;

bool may_look_again(const refusal& why, int looks) { return why.what == code::in_progress && looks < looks_max; }

/// What is known of a claim's run_id before it is decided.
task<void> look_up(request_context& x, claim& c, const std::string& board, const std::string& job_id) {
  c.known = co_await find_known(x, c.run_id);
  c.earlier.reset();
  if (!c.known || !c.known->ended || !c.known->is_of(board, job_id))
    co_return;
  const auto question = [run_id = c.run_id](reader& from) { return board_job::find_run(from, run_id); };
  auto run = co_await read(x, question);
  if (run)
    c.earlier = std::make_shared<const board_job::run>(std::move(*run));
}

task<answer<kind>> send_claim(request_context& x, std::string board, std::string job_id, claim c) {
  for (int looks = 1;; ++looks) {
    co_await look_up(x, c, board, job_id);
    board_job::command command = c;
    auto t = make_ticket<kind>(x, board_job::key_of(board, job_id), std::move(command), asking::command);
    t->resolve_again = look_again(x.app);
    auto here = t->get_future();
    x.app.node.send(std::move(t));
    try {
      co_return co_await received(std::move(here));
    } catch (const refused& no) {
      if (!may_look_again(no.why, looks))
        throw;
    }
  }
}

/// Somebody was faster, or the job is no longer what it was when it was found: another one may do.
bool is_lost(const refusal& why) {
  return why.what == code::already_claimed || why.what == code::bad_job_status || why.what == code::not_found;
}

/// The job can not answer now: another one may do, but nobody else takes this one meanwhile.
bool is_sick(const refusal& why) { return why.what == code::entity_quarantined || why.what == code::overloaded; }

/// Each time longer than the last: whoever found nothing so often will not find it any faster by asking more.
task<void> wait_a_moment(request_context& x, std::chrono::milliseconds& pause) {
  boost::asio::steady_timer timer{x.io, pause};
  co_await timer.async_wait(boost::asio::use_awaitable_t<executor>{});
  pause = std::min(pause * 2, std::chrono::milliseconds{50});
}

/// The oldest jobs that match and can be claimed now: enough of them that one is left when others take theirs. However
/// many others there are, a look stays cheap; who is left over looks again.
task<std::vector<board_job::job_name>> candidates(request_context& x, const board_job::job_filter& f) {
  const auto limit = std::min(static_cast<std::int64_t>(x.app.claiming.size()) + 16, candidates_max);
  const auto question = [f, limit, now = x.app.node.now()](reader& from) {
    auto found = board_job::claimable(from, f, limit);
    return found.empty() ? board_job::lapsing(from, f, now, limit) : found;
  };
  co_return co_await read(x, question);
}

/// One try to claim something; nothing when something of what was found went to others, so that looking again may help.
task<std::optional<answer<kind>>> try_candidates(request_context& x, const std::vector<board_job::job_name>& found,
                                                 const claim& c) {
  std::optional<refusal> sick;
  std::size_t sick_ones = 0;
  for (const auto& one : found) {
    const auto held = x.app.claiming.take(board_job::key_of(one.board, one.job_id));
    if (!held)
      continue;
    try {
      co_return co_await send_claim(x, one.board, one.job_id, c);
    } catch (const refused& no) {
      if (no.why.what == code::run_id_taken)
        break;  // an equal request was faster; what it got is ours too
      if (is_sick(no.why)) {
        sick = no.why;
        sick_ones += 1;
      } else if (!is_lost(no.why))
        throw;
    }
  }
  if (sick && sick_ones == found.size())
    throw refused{*sick};
  co_return std::nullopt;
}

}  // namespace

task<response> claim_job(request_context& x, json_document body) {
  auto b = read_as<claim_body>(body.root());
  claim c{b.run_id, b.variant_id, b.user_id, artifacts_in(body.root()), b.ttl_s.value_or(board_job::ttl_s_default),
          false,    {},           {}};
  idempotency_key(x);
  auto a = co_await send_claim(x, std::move(b.board), std::move(b.job_id), std::move(c));
  co_return written<board_job::run>(std::move(a));
}

task<response> claim_next_job(request_context& x, json_document body) {
  const auto b = read_as<claim_next_body>(body.root());
  const claim c{
      b.run_id, b.variant_id, b.user_id, artifacts_in(body.root()), b.ttl_s.value_or(board_job::ttl_s_default),
      true,     {},           {}};
  idempotency_key(x);
  const auto filter = co_await filter_of(x, b.board, b.tag, b.user_id);
  auto pause = std::chrono::milliseconds{2};
  while (std::chrono::steady_clock::now() < x.deadline) {
    // Who asks again under the same run_id gets what that run has.
    const auto known = co_await find_known(x, b.run_id);
    if (known) {
      auto again = co_await send_claim(x, known->board, known->job_id, c);
      co_return written<board_job::claimed_job>(std::move(again));
    }
    const auto found = co_await candidates(x, filter);
    if (found.empty())
      co_return response{204, {}};
    auto a = co_await try_candidates(x, found, c);
    if (a)
      co_return written<board_job::claimed_job>(std::move(*a));
    co_await wait_a_moment(x, pause);
  }
  throw refused{not_applied()};
}

task<response> report_run(request_context& x, json_document body) {
  const auto b = read_as<report_body>(body.root());
  board_job::report r{b.run_id, b.status, b.error, artifacts_in(body.root()), b.lease_token, {}};
  idempotency_key(x);
  for (int looks = 1;; ++looks) {
    auto known = co_await find_known(x, b.run_id);
    if (!known)
      throw refused{{code::not_found, "Run '" + b.run_id + "' not found", {}}};
    auto key = board_job::key_of(known->board, known->job_id);
    r.known = std::move(*known);
    board_job::command command = r;
    auto here = send<kind>(x, std::move(key), std::move(command), asking::command);
    try {
      auto a = co_await received(std::move(here));
      co_return written<board_job::run>(std::move(a), board_job::report::answers);
    } catch (const refused& no) {
      if (!may_look_again(no.why, looks))
        throw;
    }
  }
}

}  // namespace callboard::http
