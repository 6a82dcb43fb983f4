#include "actors/queue/rows.hpp"
#include "actors/queue/rules.hpp"
#include "messages/queue/payload.hpp"
#include "persistence/rows.hpp"

#include <map>

namespace callboard::queue {
namespace {

using persistence::reader;
using persistence::result_row;

constexpr std::int64_t page_rows = 20'000;
/// Each is three rows.
constexpr std::int64_t purged_at_once = 333;

/// Page by page: a page is a snapshot of its own.
template <stored Row, class Sink>
void each_of(reader& from, const std::string& queue, Sink&& sink) {
  std::string last;
  for (std::int64_t rows = page_rows; rows == page_rows;) {
    rows = 0;
    const auto after = last;
    persistence::select<Row>(from, "where queue = $1 and id > $2 order by id limit $3", {queue, after, page_rows},
                             [&](Row r) {
                               ++rows;
                               last = r.id;
                               sink(std::move(r));
                             });
  }
}

/// What was claimed in the last second is not stored: as if the rate had just been used up.
void assume_used(reader& from, state& s) {
  from.query("select at from heads where kind = $1 and key = $2", {std::string{kind::name}, s.name},
             [&](const result_row& r) { s.recent_claims.emplace_back(from_ms(r.integer(0)), *s.rate_per_s); });
}

/// Walks (queue, id) of `x` and tells of those whose third column is true.
template <class Sink>
void each_alone(reader& from, std::string_view sql, Sink&& sink) {
  std::string queue, id;
  for (std::int64_t rows = page_rows; rows == page_rows;) {
    rows = 0;
    const auto after_queue = queue, after_id = id;
    from.query(std::string{sql} + " where (x.queue, x.id) > ($1, $2) order by x.queue, x.id limit $3",
               {after_queue, after_id, page_rows}, [&](const result_row& r) {
                 ++rows;
                 queue = r.text(0);
                 id = r.text(1);
                 if (r.boolean(2))
                   sink(queue + '/' + id);
               });
  }
}

}  // namespace

std::unordered_map<std::string, state> kind::load(reader& from, const std::vector<std::string>& keys) {
  std::unordered_map<std::string, state> states;
  persistence::select<queue_row>(from, "where name = any($1::text[])", {keys},
                                 [&](const queue_row& r) { states.emplace(r.name, from_row(r)); });
  for (auto& [name, s] : states) {
    if (s.rate_per_s)
      assume_used(from, s);
    each_of<job_row>(from, name, [&](const job_row& r) { add_row(s, r); });
  }
  return states;
}

std::vector<std::pair<std::string, command>> kind::maintenance(reader& from, instant now, const settings& with) {
  const auto before = now - with.finished_kept;
  std::map<std::string, purge> found;
  from.query("select queue, id from work_finished where completed_at < $1 limit $2", {to_ms(before), purged_at_once},
             [&](const result_row& r) { found[std::string{r.text(0)}].ids.emplace_back(r.text(1)); });
  std::vector<std::pair<std::string, command>> out;
  for (auto& [queue, request] : found)
    out.emplace_back(queue, std::move(request));
  return out;
}

void kind::stored_rows(reader& from, const std::string& key, const row_sink& sink) {
  persistence::select<queue_row>(from, "where name = $1", {key}, [&](const auto& r) { sink(to_row(r)); });
  each_of<job_row>(from, key, [&](const auto& r) { sink(to_row(r)); });
  each_of<finished_row>(from, key, [&](const auto& r) { sink(to_row(r)); });
}

void kind::orphaned_rows(reader& from, const orphan_sink& sink) {
  from.query("select q.name from work_queues q left join heads h on h.kind = $1 and h.key = q.name where h.key is null",
             {std::string{kind::name}},
             [&](const result_row& r) { sink(queue_row::table_name, std::string{r.text(0)}); });
  // Payload without a job, and jobs without payload. All in one snapshot, so one that moves between its tables is
  // found.
  constexpr std::string_view unmatched = "select x.queue, x.id, j.id is null and f.id is null from work_payloads x"
                                         " left join work_jobs j on j.queue = x.queue and j.id = x.id"
                                         " left join work_finished f on f.queue = x.queue and f.id = x.id";
  each_alone(from, unmatched, [&](const std::string& id) { sink(payload_row::table_name, id); });
  constexpr std::string_view without = " left join work_payloads p on p.queue = x.queue and p.id = x.id";
  for (const auto table : {job_row::table_name, finished_row::table_name})
    each_alone(from, "select x.queue, x.id, p.id is null from " + std::string{table} + " x" + std::string{without},
               [&](const std::string& id) { sink(table, id + " without words"); });
}

}  // namespace callboard::queue
