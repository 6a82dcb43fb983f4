#include "http/api/opening/application_status.hpp"

#include "actors/opening/reads.hpp"
#include "actors/opening/rules.hpp"
#include "actors/people/reads.hpp"
#include "http/api/ask.hpp"
#include "http/api/bodies.hpp"
#include "http/api/pages.hpp"
#include "http/api/queries.hpp"

#include <map>
#include <unordered_map>

namespace callboard::http {
namespace {

using opening::application_row;
using opening::application_status;
using opening::kind;
using persistence::reader;

/// What rows say; of live and waiting applications the openings know better.
struct status_rows {
  std::optional<applicant> who;
  std::vector<opening::titled_application> applications;
  bool has_more = false;
};

status_rows status_of_rows(reader& from, applicant_id id, opening::application_id after, std::int64_t limit) {
  status_rows out{people::find(from, id), {}, false};
  if (!out.who)
    return out;
  out.applications = opening::applications_page(from, id, after, limit + 1);
  out.has_more = static_cast<std::int64_t>(out.applications.size()) > limit;
  if (out.has_more)
    out.applications.pop_back();
  return out;
}

application_status by_row(const application_row& a, std::string title, instant now) {
  const auto age = std::max(now - a.since, milliseconds{0});
  return {a.id,
          opening::opening_of(a.id),
          std::move(title),
          a.status,
          std::nullopt,
          a.applied_at,
          a.promoted_at,
          a.deadline,
          std::chrono::floor<seconds>(age).count(),
          std::nullopt,
          a.penalty};
}

using statuses_future = std::shared_ptr<future<answer<kind>>>;

/// Asks every opening where somebody is live or waits; all questions are under way before the first is awaited.
std::vector<statuses_future> ask_openings(request_context& x, const std::vector<opening::titled_application>& of) {
  std::map<std::int64_t, std::vector<opening::application_id>> by_opening;
  for (const auto& a : of)
    if (a.row.status != opening::status::inactive)
      by_opening[opening::opening_of(a.row.id).value].push_back(a.row.id);
  std::vector<statuses_future> out;
  for (auto& [id, applications] : by_opening)
    out.push_back(
        send<kind>(x, std::to_string(id), opening::show_application_status{std::move(applications)}, asking::question));
  return out;
}

/// Rows of applications that ended between the first look and their opening's answer.
task<std::unordered_map<std::int64_t, application_row>> ended_meanwhile(request_context& x,
                                                                        std::vector<std::int64_t> ids) {
  std::unordered_map<std::int64_t, application_row> out;
  if (ids.empty())
    co_return out;
  const auto question = [ids](reader& from) { return opening::applications_by_id(from, ids); };
  auto rows = co_await read(x, question);
  for (auto& r : rows)
    out.emplace(r.id.value, std::move(r));
  co_return out;
}

}  // namespace

task<response> show_status(request_context& x) {
  const applicant_id id{path_id(x, 0, "applicantId")};
  const auto wanted = page_of(query_of<page_query>(x), 1);
  const auto limit = wanted.limit.value_or(array_rows_max);
  const opening::application_id after{wanted.after[0]};
  const auto question = [=](reader& from) { return status_of_rows(from, id, after, limit); };
  auto rows = co_await read(x, question);
  if (!rows.who)
    not_found("Applicant", id.value);

  std::unordered_map<std::int64_t, application_status> known;
  auto replies = ask_openings(x, rows.applications);
  for (auto& one : replies) {
    auto a = co_await received(std::move(one));
    for (auto& s : std::get<opening::application_statuses>(a.result).applications)
      known.emplace(s.application.value, std::move(s));
  }
  std::vector<std::int64_t> missing;
  for (const auto& a : rows.applications)
    if (a.row.status != opening::status::inactive && !known.contains(a.row.id.value))
      missing.push_back(a.row.id.value);
  const auto ended = co_await ended_meanwhile(x, std::move(missing));

  applicant_status out{id, std::move(rows.who->name), std::move(rows.who->email), {}, {}};
  const auto now = x.app.node.now();
  for (auto& a : rows.applications) {
    if (const auto live = known.find(a.row.id.value); live != known.end())
      out.applications.push_back(std::move(live->second));
    else if (const auto row = ended.find(a.row.id.value); row != ended.end())
      out.applications.push_back(by_row(row->second, std::move(a.title), now));
    else
      out.applications.push_back(by_row(a.row, std::move(a.title), now));
  }
  response r{200, {}};
  if (rows.has_more) {
    const cursor next{out.applications.back().application.value};
    out.cut_off = cut_off_at(next);
    link_next(x, r, next);
  }
  r.body = to_json(out);
  co_return r;
}

task<response> show_timeline(request_context& x) {
  const applicant_id id{path_id(x, 0, "applicantId")};
  const auto wanted = page_of(query_of<page_query>(x), 2);
  const auto question = [=](reader& from) {
    if (!people::find(from, id))
      not_found("Applicant", id.value);
    const auto trail = opening::trail_of(from, id);
    const auto fetch = [&](const cursor& after, std::int64_t limit) {
      return opening::timeline_page(from, trail, {from_ms(after[0]), after[1]}, limit);
    };
    return rendered(wanted, fetch, [](const opening::shown_event& e) { return cursor{to_ms(e.created_at), e.id}; });
  };
  auto events = co_await read(x, question);
  co_return to_response(x, std::move(events));
}

}  // namespace callboard::http
