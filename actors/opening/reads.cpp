#include "actors/opening/reads.hpp"

#include "actors/opening/rules.hpp"
#include "messages/event_codec.hpp"
#include "persistence/history.hpp"
#include "persistence/rows.hpp"

namespace callboard::opening {
namespace {

using persistence::columns;
using persistence::read_row;
using persistence::reader;
using persistence::result_row;

job job_of(opening_row&& o, const counts_row& c) {
  return {o.id,
          std::move(o.title),
          std::move(o.description),
          o.capacity,
          c.active + c.pending,
          c.waiting,
          o.created_at,
          o.ack_window_s,
          o.offer_on_apply,
          o.ack_window_on_apply_s,
          o.phase,
          std::move(o.owner),
          c.version};
}

}  // namespace

std::vector<job> jobs_page(reader& from, std::pair<instant, opening_id> after, std::int64_t limit) {
  static const std::string sql = "select " + columns<opening_row>("o") + ", " + columns<counts_row>("c") +
                                 " from openings o join opening_counts c on c.id = o.id"
                                 " where (o.created_at, o.id) > ($1, $2) order by o.created_at, o.id limit $3";
  std::vector<job> out;
  from.query(sql, {to_ms(after.first), after.second.value, limit}, [&](const result_row& r) {
    out.push_back(job_of(read_row<opening_row>(r), read_row<counts_row>(r, field_count<opening_row>)));
  });
  return out;
}

std::vector<titled_application> applications_page(reader& from, applicant_id of, application_id after,
                                                  std::int64_t limit) {
  static const std::string sql = "select " + columns<application_row>("a") +
                                 ", o.title from applications a join openings o on o.id = a.id / 10000000"
                                 " where a.applicant = $1 and a.id > $2 order by a.id limit $3";
  static_assert(applications_per_opening == 10'000'000);
  std::vector<titled_application> out;
  from.query(sql, {of.value, after.value, limit}, [&](const result_row& r) {
    out.push_back({read_row<application_row>(r), std::string{r.text(field_count<application_row>)}});
  });
  return out;
}

std::vector<application_row> applications_by_id(reader& from, std::vector<std::int64_t> ids) {
  std::vector<application_row> out;
  if (!ids.empty())
    persistence::select<application_row>(from, "where id = any($1::bigint[])", {std::move(ids)},
                                         [&](application_row a) { out.push_back(std::move(a)); });
  return out;
}

reasons reasons_of(reader& from, std::vector<std::int64_t> applications) {
  reasons out;
  if (!applications.empty())
    from.query("select id, reason from applications where id = any($1::bigint[]) and reason is not null",
               {std::move(applications)}, [&](const result_row& r) { out.emplace(r.integer(0), r.text(1)); });
  return out;
}

trail trail_of(reader& from, applicant_id of) {
  trail out;
  from.query("select id, reason from applications where applicant = $1", {of.value}, [&](const result_row& r) {
    out.subjects.push_back(std::to_string(r.integer(0)));
    if (!r.is_null(1))
      out.why.emplace(r.integer(0), r.text(1));
  });
  return out;
}

std::vector<shown_event> timeline_page(reader& from, const trail& of, std::pair<instant, std::int64_t> after,
                                       std::int64_t limit) {
  std::vector<shown_event> out;
  if (of.subjects.empty())
    return out;
  for (const auto& entry : persistence::subjects_page(from, kind::name, of.subjects, after, limit)) {
    const auto why = of.why.find(std::stoll(entry.subject.value()));
    out.push_back(shown(entry, decode_event<event>(entry.type, entry.data),
                        why == of.why.end() ? std::nullopt : std::optional{why->second}));
  }
  return out;
}

}  // namespace callboard::opening
