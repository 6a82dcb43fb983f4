#include "actors/queue/load.hpp"

#include "actors/queue/rows.hpp"
#include "persistence/rows.hpp"

#include <map>

namespace callboard::queue {
namespace {

using persistence::reader;
using persistence::result_row;

constexpr std::int64_t page_rows = 20'000;

/// Page by page: a page is a snapshot of its own.
template <stored Row, class Sink>
void each_of(reader& from, const std::string& queue, Sink&& sink) {
  std::string last;
  for (std::int64_t rows = page_rows; rows == page_rows;) {
    rows = 0;
    const auto after = last;
    persistence::select<Row>(from, "where queue = $1 and id > $2 order by id limit $3", {queue, after, page_rows}, [&](Row r) {
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

} // namespace

std::unordered_map<std::string, state> load_states(reader& from, const std::vector<std::string>& keys) {
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

std::vector<std::pair<std::string, command>> overdue(reader& from, instant before) {
  std::map<std::string, purge> found;
  from.query("select queue, id from work_finished where completed_at < $1 limit $2",
             {to_ms(before), static_cast<std::int64_t>(batch_max)},
             [&](const result_row& r) { found[std::string{r.text(0)}].ids.emplace_back(r.text(1)); });
  std::vector<std::pair<std::string, command>> out;
  for (auto& [queue, wish] : found)
    out.emplace_back(queue, std::move(wish));
  return out;
}

void stored_rows(std::type_identity<kind>, reader& from, const std::string& key, const std::function<void(const row&)>& sink) {
  persistence::select<queue_row>(from, "where name = $1", {key}, [&](const auto& r) { sink(to_row(r)); });
  each_of<job_row>(from, key, [&](const auto& r) { sink(to_row(r)); });
  each_of<finished_row>(from, key, [&](const auto& r) { sink(to_row(r)); });
}

void orphaned_rows(std::type_identity<kind>, reader& from,
                   const std::function<void(std::string_view table, const std::string& id)>& sink) {
  from.query("select q.name from work_queues q left join heads h on h.kind = $1 and h.key = q.name where h.key is null",
             {std::string{kind::name}},
             [&](const result_row& r) { sink(queue_row::table_name, std::string{r.text(0)}); });
  // Words without a job. Jobs are looked for in the same snapshot, so one that moves between its tables is found.
  static const std::string sql = "select p.queue, p.id, j.id is null and f.id is null from work_payloads p"
                                 " left join work_jobs j on j.queue = p.queue and j.id = p.id"
                                 " left join work_finished f on f.queue = p.queue and f.id = p.id"
                                 " where (p.queue, p.id) > ($1, $2) order by p.queue, p.id limit $3";
  std::string queue, id;
  for (std::int64_t rows = page_rows; rows == page_rows;) {
    rows = 0;
    const auto after_queue = queue, after_id = id;
    from.query(sql, {after_queue, after_id, page_rows}, [&](const result_row& r) {
      ++rows;
      queue = r.text(0);
      id = r.text(1);
      if (r.boolean(2))
        sink(payload_row::table_name, queue + '/' + id);
    });
  }
}

} // namespace callboard::queue
