#include "http/api/opening/applications.hpp"

#include "actors/opening/rules.hpp"
#include "http/api/ask.hpp"
#include "http/api/bodies.hpp"
#include "http/api/opening/openings.hpp"
#include "http/api/results.hpp"

namespace callboard::http {
namespace {

using opening::kind;

/// POST /apply-public.
struct public_application {
  std::string name;
  std::string email;
  opening::opening_id job;
  static constexpr auto fields =
      std::tuple{field{"name", &public_application::name, text{1, 200}},
                 field{"email", &public_application::email, email_address{}}, field{"jobId", &public_application::job}};
};

response application_written(answer<kind> a, success how) {
  return written<opening::application_result>(std::move(a), how);
}

using application_request = std::shared_ptr<actors::request_to<kind>>;

/// Finds out whose the e-mail is, or makes it a newcomer's, and sends the request on its way from there: the io thread
/// hears only of the answer.
void send_for(actors::node& to, const application_request& r, std::string name, std::string email, new_applicant lost) {
  to.find_or_create(std::move(name), std::move(email), std::move(lost),
                    [&to, r](std::variant<actors::person, code> found) {
                      if (const auto* why = std::get_if<code>(&found))
                        return r->fail(*why);
                      auto& who = std::get<actors::person>(found);
                      auto& command = std::get<opening::apply>(r->command);
                      command.applicant = who.id;
                      command.person = std::move(who.row);
                      to.send(r);
                    });
}

/// The same once more for a request whose newcomer was somebody else's e-mail already.
auto once_more(actors::node& to) {
  return [&to](const actors::request_ptr& r) {
    auto again = std::static_pointer_cast<actors::request_to<kind>>(r);
    const auto row = std::get<opening::apply>(again->command).person;
    if (!row)
      return r->fail(code::internal);
    send_for(to, again, row->name, row->email, row);
  };
}

/// An application's id names its opening. When that can not exist or does not, it is the application that is missing.
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

/// Who withdraws: the caller's role, or what is said where nobody has one.
opening::party withdrawing(const request_context& x, std::optional<opening::party> stated) {
  if (x.app.settings.auth_mode == "open")
    return stated.value_or(opening::party::applicant);
  return x.by->actor_type == "company" || x.by->actor_type == "admin" ? opening::party::company
                                                                      : opening::party::applicant;
}

}  // namespace

task<response> apply(request_context& x) {
  auto command = body_of<opening::apply>(x);
  auto key = opening_key(command.job.value);
  // The opening says which of the two is missing: the job comes first.
  const auto who = co_await find_applicant(x, command.applicant);
  command.known = who.has_value();
  opening::command sent = std::move(command);
  auto a = co_await ask<kind>(x, std::move(key), std::move(sent), asking::command);
  co_return application_written(std::move(a), opening::apply::answers);
}

task<response> apply_in_public(request_context& x) {
  auto body = body_of<public_application>(x);
  opening::command command = opening::apply{{}, body.job, true, nullptr};
  auto t = make_ticket<kind>(x, opening_key(body.job.value), std::move(command), asking::command);
  t->resolve_again = once_more(x.app.node);
  auto here = t->get_future();
  send_for(x.app.node, t, std::move(body.name), std::move(body.email), nullptr);
  t.reset();  // whoever holds it last answers it
  auto a = co_await received(std::move(here));
  co_return application_written(std::move(a), opening::apply::answers);
}

task<response> withdraw(request_context& x) {
  auto command = body_of<opening::withdraw>(x);
  command.by = withdrawing(x, command.by);
  return act_on(x, std::move(command));
}

task<response> acknowledge(request_context& x) { return act_on(x, body_of<opening::acknowledge>(x)); }

task<response> decline(request_context& x) { return act_on(x, body_of<opening::decline>(x)); }

}  // namespace callboard::http
