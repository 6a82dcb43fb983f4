#include "http/api/board/claims.hpp"

#include "actors/board_job/rules.hpp"
#include "http/api/ask.hpp"
#include "http/api/board/artifacts.hpp"
#include "http/api/board/claim_bodies.hpp"
#include "http/api/bodies.hpp"
#include "http/api/results.hpp"

namespace callboard::http {
namespace {

using board_job::claim;
using board_job::kind;

}  // namespace

task<response> claim_job(request_context& x, json_document body) {
  auto b = read_as<claim_body>(body.root());
  board_job::command command =
      claim{b.run_id, b.variant_id, b.user_id, artifacts_in(body.root()), b.ttl_s.value_or(board_job::ttl_s_default),
            false,    {},           {}};
  idempotency_key(x);
  auto a = co_await ask<kind>(x, board_job::key_of(b.board, b.job_id), std::move(command), asking::command);
  co_return written<board_job::run>(std::move(a));
}

task<response> claim_next_job(request_context& x, json_document body) {
  auto b = read_as<claim_next_body>(body.root());
  board_job::command command = board_job::claim_next{b.run_id,
                                                     b.board,
                                                     b.tag,
                                                     b.variant_id,
                                                     b.user_id,
                                                     artifacts_in(body.root()),
                                                     b.ttl_s.value_or(board_job::ttl_s_default)};
  idempotency_key(x);
  auto a = co_await ask<kind>(x, {}, std::move(command), asking::command);
  if (!a.again && std::holds_alternative<board_job::nothing>(a.result))
    co_return response{204, {}};
  co_return written<board_job::claimed_job>(std::move(a));
}

task<response> report_run(request_context& x, json_document body) {
  const auto b = read_as<report_body>(body.root());
  board_job::command command =
      board_job::report{b.run_id, b.status, b.error, artifacts_in(body.root()), b.lease_token, {}};
  idempotency_key(x);
  auto a = co_await ask<kind>(x, {}, std::move(command), asking::command);
  co_return written<board_job::run>(std::move(a), board_job::report::answers);
}

}  // namespace callboard::http
