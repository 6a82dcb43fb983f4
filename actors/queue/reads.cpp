#include "actors/queue/reads.hpp"

#include "actors/queue/rows.hpp"
#include "persistence/rows.hpp"

#include <map>

namespace callboard::queue {
namespace {

using persistence::reader;
using persistence::result_row;

/// Live and finished jobs under one list of columns, in one snapshot: a job that moves is seen once.
constexpr std::string_view live_columns =
    "j.queue as queue, j.id as id, j.job_type, j.status, j.weight, j.attempts, j.max_attempts, j.redrives, j.run_at,"
    " j.created_at, j.updated_at, j.claimed_at, case when j.status = 'failed' then j.updated_at end as completed_at, "
    "j.worker, j.token, j.lease_until, j.ttl_s, j.unique_key,"
    " j.cancel_requested from work_jobs j";
constexpr std::string_view finished_columns =
    "j.queue as queue, j.id as id, j.job_type, j.status, j.weight, j.attempts, j.max_attempts, j.redrives, j.run_at,"
    " j.created_at, j.completed_at as updated_at, j.claimed_at, j.completed_at, j.worker, cast(null as bigint) as "
    "token, cast(null as bigint) as lease_until,"
    " j.ttl_s, j.unique_key, false as cancel_requested from work_finished j";
constexpr int view_columns = 19;

template <class T>
std::optional<T> maybe(const result_row& r, int i) {
  std::optional<T> out;
  persistence::detail::from_sql(r, i, out);
  return out;
}

job_view view_of(const result_row& r) {
  job_view v;
  v.queue = r.text(0);
  v.id = r.text(1);
  v.type = r.text(2);
  persistence::detail::from_sql(r, 3, v.status);
  v.weight = r.integer(4);
  v.attempts = r.integer(5);
  v.max_attempts = r.integer(6);
  v.redrives = r.integer(7);
  v.run_at = from_ms(r.integer(8));
  v.created_at = from_ms(r.integer(9));
  v.updated_at = from_ms(r.integer(10));
  v.claimed_at = maybe<instant>(r, 11);
  v.completed_at = maybe<instant>(r, 12);
  v.worker = maybe<std::string>(r, 13);
  if (!r.is_null(14))
    v.lease_token = token_text(v.queue, r.integer(14));
  v.lease_expires_at = maybe<instant>(r, 15);
  v.ttl_s = maybe<std::int64_t>(r, 16);
  v.unique_key = maybe<std::string>(r, 17);
  v.cancel_requested = r.boolean(18);
  return v;
}

const std::string words_columns =
    ", p.data, p.metadata, p.priority, r.progress, r.message, r.checkpoint, r.results, r.error,"
    " r.error_code, r.reason";
const std::string payload_tables = " left join work_payloads p on p.queue = x.queue and p.id = x.id"
                                   " left join work_reports r on r.queue = x.queue and r.id = x.id";

job_payload payload_at(const result_row& r, int first) {
  job_payload w;
  if (!r.is_null(first)) {
    w.data = r.text(first);
    w.metadata = r.text(first + 1);
    w.priority = r.text(first + 2);
  }
  w.report.progress = maybe<std::string>(r, first + 3);
  w.report.message = maybe<std::string>(r, first + 4);
  w.report.checkpoint = maybe<std::string>(r, first + 5);
  w.report.results = maybe<std::string>(r, first + 6);
  w.report.error = maybe<std::string>(r, first + 7);
  w.report.error_code = maybe<std::string>(r, first + 8);
  w.report.reason = maybe<std::string>(r, first + 9);
  return w;
}

job_view view_at(const result_row& r) {
  auto v = view_of(r);
  fill_in(v, payload_at(r, view_columns));
  return v;
}

/// Ids by queue: a planner that is asked for several queues at once reads one of them whole.
std::map<std::string, std::vector<std::string>> by_queue(const std::vector<std::string>& job_keys) {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& p : job_keys) {
    const auto cut = p.find('\0');
    out[p.substr(0, cut)].push_back(p.substr(cut + 1));
  }
  return out;
}

}  // namespace

std::string job_key(std::string_view queue, std::string_view id) {
  std::string out{queue};
  out += '\0';
  return out += id;
}

job_payload payload_in(const new_job& j) {
  return {j.data_text.value_or("{}"), j.metadata_text.value_or("{}"), j.priority, {}};
}

void fill_in(job_view& v, job_payload w) {
  v.data.text = std::move(w.data);
  v.metadata.text = std::move(w.metadata);
  v.priority.text = std::move(w.priority);
  v.progress.text = w.report.progress.value_or("0");
  v.message = std::move(w.report.message);
  v.checkpoint.text = w.report.checkpoint.value_or("null");
  v.results.text = w.report.results.value_or("null");
  v.error = std::move(w.report.error);
  v.error_code = std::move(w.report.error_code);
  if (v.error_code && v.error_code->empty())
    v.error_code.reset();
  if (v.status == status::cancelled && w.report.reason)
    v.message = std::move(w.report.reason);
}

payloads_by_key payloads_of(reader& from, std::vector<std::string> job_keys) {
  payloads_by_key out;
  static const std::string sql = "select p.queue, p.id" + words_columns +
                                 " from work_payloads p left join work_reports r on r.queue = p.queue and r.id = p.id"
                                 " where p.queue = $1 and p.id = any($2::text[])";
  for (auto& [queue, wanted] : by_queue(job_keys))
    from.query(sql, {queue, std::move(wanted)},
               [&](const result_row& r) { out.emplace(job_key(r.text(0), r.text(1)), payload_at(r, 2)); });
  return out;
}

std::unordered_map<std::string, finished_job> finished_of(reader& from, std::vector<std::string> job_keys) {
  std::unordered_map<std::string, finished_job> out;
  for (auto& [queue, wanted] : by_queue(job_keys))
    from.query("select queue, id, status, content from work_finished where queue = $1 and id = any($2::text[])",
               {queue, std::move(wanted)}, [&](const result_row& r) {
                 finished_job f;
                 persistence::detail::from_sql(r, 2, f.status);
                 f.content = r.integer(3);
                 out.emplace(job_key(r.text(0), r.text(1)), f);
               });
  return out;
}

std::vector<job_view> find_jobs(reader& from, const std::string& id, const std::optional<std::string>& queue) {
  // By way of the queues' names every look is one along the key.
  static const std::string of_queue = " join work_queues q on q.name = j.queue where j.id = $1 and ";
  const auto sql = [](std::string_view which) {
    return "select x.*" + words_columns + " from (select " + std::string{live_columns} + of_queue + std::string{which} +
           " union all select " + std::string{finished_columns} + of_queue + std::string{which} + ") x" +
           payload_tables + " order by x.queue";
  };
  std::vector<job_view> out;
  const auto take = [&](const result_row& r) { out.push_back(view_at(r)); };
  if (queue)
    from.query(sql("q.name = $2"), {id, *queue}, take);
  else
    from.query(sql("q.name is not null"), {id}, take);
  return out;
}

std::vector<job_view> jobs_page(reader& from, const job_filter& f, const std::string& queue, const std::string& id,
                                std::int64_t limit) {
  std::vector<persistence::sql_param> params{queue, id, limit};
  std::string which = " where (j.queue, j.id) > ($1, $2)";
  const auto add = [&](std::string_view what, std::string value) {
    params.emplace_back(std::move(value));
    which += " and j." + std::string{what} + " = $" + std::to_string(params.size());
  };
  if (f.is)
    add("status", std::string{name(*f.is)});
  if (f.type)
    add("job_type", *f.type);
  if (f.queue)
    add("queue", *f.queue);
  const auto part = [&](std::string_view columns) {
    return "select * from (select " + std::string{columns} + which + " order by j.queue, j.id limit $3) ";
  };
  const auto sql = "select x.*" + words_columns + " from (" + part(live_columns) + "a union all " +
                   part(finished_columns) + "b order by queue, id limit $3) x" + payload_tables +
                   " order by x.queue, x.id";
  std::vector<job_view> out;
  from.query(sql, params, [&](const result_row& r) { out.push_back(view_at(r)); });
  return out;
}

std::vector<std::pair<std::string, std::string>> known_jobs(reader& from, std::vector<std::string> wanted) {
  std::vector<std::pair<std::string, std::string>> out;
  from.query("select p.queue, p.id from work_queues q join work_payloads p on p.queue = q.name"
             " where p.id = any($1::text[])",
             {std::move(wanted)}, [&](const result_row& r) { out.emplace_back(r.text(0), r.text(1)); });
  return out;
}

std::vector<std::string> queue_names(reader& from) {
  std::vector<std::string> out;
  from.query("select name from work_queues order by name", {},
             [&](const result_row& r) { out.emplace_back(r.text(0)); });
  return out;
}

}  // namespace callboard::queue
