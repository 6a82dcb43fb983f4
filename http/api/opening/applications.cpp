#include "http/api/opening/applications.hpp"

#include "actors/opening/rules.hpp"
#include "http/api/ask.hpp"
#include "http/api/bodies.hpp"
#include "http/api/opening/openings.hpp"
#include "http/api/results.hpp"

namespace callboard::http {
namespace {

using opening::kind;

response application_written(answer<kind> a, success how) {
  return written<opening::application_result>(std::move(a), how);
}

/// An application's id names its opening. When that cannot exist or does not, it is the application that is missing.
template <class Command>
task<response> act_on(request_context& x, Command command) {
  const auto id = command.application;
  const auto of = opening::opening_of(id);
  if (of.value < 1 || of.value > opening::opening_id_max || opening::ordinal_of(id) < 1)
    not_found("Application", id.value);
  opening::command sent = std::move(command);
  auto here = send<kind>(x, std::to_string(of.value), std::move(sent), asking::command);
  try {
    auto a = co_await received(std::move(here));
    co_return application_written(std::move(a), Command::answers);
  } catch (const refused& no) {
    if (no.why.what == code::not_found)
      not_found("Application", id.value);
    throw;
  }
}

}  // namespace

task<response> apply(request_context& x) {
  auto command = body_of<opening::apply>(x);
  auto key = opening_key(command.job.value);
  opening::command sent = std::move(command);
  auto a = co_await ask<kind>(x, std::move(key), std::move(sent), asking::command);
  co_return application_written(std::move(a), opening::apply::answers);
}

task<response> apply_in_public(request_context& x) {
  auto body = body_of<public_application>(x);
  opening::apply command;
  command.job = body.job;
  command.in_public = {std::move(body.name), std::move(body.email)};
  opening::command sent = std::move(command);
  auto a = co_await ask<kind>(x, opening_key(body.job.value), std::move(sent), asking::command);
  co_return application_written(std::move(a), opening::apply::answers);
}

task<response> withdraw(request_context& x) { return act_on(x, body_of<opening::withdraw>(x)); }

task<response> acknowledge(request_context& x) { return act_on(x, body_of<opening::acknowledge>(x)); }

task<response> decline(request_context& x) { return act_on(x, body_of<opening::decline>(x)); }

}  // namespace callboard::http
