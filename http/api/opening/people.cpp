#include "http/api/opening/people.hpp"

#include "actors/people/reads.hpp"
#include "http/api/ask.hpp"
#include "http/api/bodies.hpp"
#include "http/api/pages.hpp"
#include "http/api/queries.hpp"
#include "http/api/results.hpp"

namespace callboard::http {
namespace {

using persistence::reader;

std::string location_of(std::string_view body) {
  std::string why;
  const auto document = json_document::parse(body, why);
  const auto id = document ? document->root().find("id") : std::nullopt;
  return "/api/applicants/" + (id ? std::to_string(id->integer()) : std::string{});
}

}  // namespace

task<response> list_applicants(request_context& x) {
  const auto wanted = page_of(query_of<page_query>(x), 1);
  const auto question = [wanted](reader& from) {
    const auto fetch = [&](const cursor& after, std::int64_t limit) {
      return people::page(from, applicant_id{after[0]}, limit);
    };
    return rendered(wanted, fetch, [](const applicant& a) { return cursor{a.id.value}; });
  };
  auto applicants = co_await read(x, question);
  co_return to_response(x, std::move(applicants));
}

task<response> create_applicant(request_context& x) {
  auto command = body_of<register_applicant>(x);
  auto done = co_await register_person(x, std::move(command));
  auto r = done.again ? replayed(std::move(*done.again)) : response{201, to_json(done.who)};
  r.headers.emplace_back("Location", location_of(r.body));
  co_return r;
}

task<response> show_applicant(request_context& x) {
  const applicant_id id{path_id(x, 0, "id")};
  const auto who = co_await find_applicant(x, id);
  if (!who)
    not_found("Applicant", id.value);
  co_return response{200, to_json(*who)};
}

task<response> login_applicant(request_context& x) {
  const auto body = body_of<login>(x);
  // Where there are roles, the answer must not tell whose e-mails are known.
  if (!x.who->is_anonymous())
    co_return response{202, to_json(login_sent{})};
  const auto question = [email = body.email](reader& from) { return people::find(from, email); };
  const auto who = co_await read(x, question);
  if (!who)
    throw refused{{code::not_found, "Nobody has this e-mail", {}}};
  co_return response{200, to_json(logged_in{who->id, std::nullopt})};
}

}  // namespace callboard::http
