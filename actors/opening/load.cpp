#include "actors/opening/rows.hpp"
#include "actors/opening/rules.hpp"
#include "persistence/rows.hpp"

#include <charconv>
#include <unordered_set>

namespace callboard::opening {
namespace {

using persistence::reader;
using persistence::result_row;

constexpr std::int64_t page_rows = 50'000;
/// Openings with at most so many applications ever are read together.
constexpr std::int64_t together_max = 2'000;
constexpr std::int64_t openings_per_walk = 1'000;

constexpr std::int64_t first_id(opening_id o) { return application_of(o, 0).value; }
constexpr std::int64_t end_id(opening_id o) { return application_of({o.value + 1}, 0).value; }

std::vector<std::int64_t> ids_of(const std::vector<std::string>& keys) {
  std::vector<std::int64_t> ids;
  ids.reserve(keys.size());
  for (const auto& k : keys) {
    std::int64_t id = 0;
    const auto read = std::from_chars(k.data(), k.data() + k.size(), id);
    if (read.ec == std::errc{} && read.ptr == k.data() + k.size())
      ids.push_back(id);
  }
  return ids;
}

/// Key ranges instead of one long answer: a page is a snapshot of its own.
template <class Sink>
void each_application(reader& from, opening_id of, std::string_view rest, Sink&& sink) {
  const auto sql = "where id > $1 and id < $2 " + std::string{rest} + " order by id limit $3";
  auto last = first_id(of);
  for (std::int64_t rows = page_rows; rows == page_rows;) {
    rows = 0;
    const auto after = last;
    persistence::select<application_row>(from, sql, {after, end_id(of), page_rows}, [&](application_row a) {
      ++rows;
      last = a.id.value;
      sink(std::move(a));
    });
  }
}

void add_small_ones(reader& from, std::vector<std::int64_t> ids, std::unordered_map<std::string, state>& states) {
  if (ids.empty())
    return;
  static const std::string sql = "select " + persistence::columns<application_row>("a") +
                                 " from openings o join applications a on a.id > o.id * 10000000"
                                 " and a.id < o.id * 10000000 + 10000000"
                                 " where o.id = any($1::bigint[]) and a.status <> 'INACTIVE'";
  static_assert(applications_per_opening == 10'000'000);
  from.query(sql, {std::move(ids)}, [&](const result_row& r) {
    const auto a = persistence::read_row<application_row>(r);
    add_row(states.at(std::to_string(opening_of(a.id).value)), a);
  });
}

/// Those of `ids` that have no head.
std::vector<std::string> without_head(reader& from, const std::vector<std::string>& ids) {
  std::unordered_set<std::string> known;
  from.query("select key from heads where kind = $1 and key = any($2::text[])", {std::string{kind::name}, ids},
             [&](const result_row& r) { known.emplace(r.text(0)); });
  std::vector<std::string> out;
  for (const auto& id : ids)
    if (!known.contains(id))
      out.push_back(id);
  return out;
}

template <stored Row>
void each_without_head(reader& from, const std::function<void(std::string_view, const std::string&)>& sink) {
  const auto sql = "select id from " + std::string{Row::table_name} + " where id > $1 order by id limit $2";
  for (std::int64_t last = 0;;) {
    std::vector<std::string> ids;
    from.query(sql, {last, openings_per_walk}, [&](const result_row& r) {
      last = r.integer(0);
      ids.emplace_back(r.text(0));
    });
    if (ids.empty())
      return;
    for (const auto& id : without_head(from, ids))
      sink(Row::table_name, id);
  }
}

std::optional<std::int64_t> next_application(reader& from, std::int64_t after) {
  std::optional<std::int64_t> next;
  from.query("select id from applications where id > $1 order by id limit 1", {after},
             [&](const result_row& r) { next = r.integer(0); });
  return next;
}

}  // namespace

std::unordered_map<std::string, state> kind::load(reader& from, const std::vector<std::string>& keys) {
  static const std::string sql = "select " + persistence::columns<opening_row>("o") + ", " +
                                 persistence::columns<counts_row>("c") +
                                 " from openings o join opening_counts c on c.id = o.id where o.id = any($1::bigint[])";
  std::unordered_map<std::string, state> states;
  std::vector<std::int64_t> small;
  std::vector<opening_id> big;
  from.query(sql, {ids_of(keys)}, [&](const result_row& r) {
    const auto what = persistence::read_row<opening_row>(r);
    const auto how = persistence::read_row<counts_row>(r, field_count<opening_row>);
    states.emplace(std::to_string(what.id.value), from_rows(what, how));
    if (how.active + how.pending + how.waiting == 0)
      return;
    // Inactive applications are in the range too and have to be passed over.
    if (how.total <= together_max)
      small.push_back(what.id.value);
    else
      big.push_back(what.id);
  });
  add_small_ones(from, std::move(small), states);
  for (const auto id : big) {
    auto& s = states.at(std::to_string(id.value));
    each_application(from, id, "and status <> 'INACTIVE'", [&](const application_row& a) { add_row(s, a); });
  }
  return states;
}

void kind::stored_rows(reader& from, const std::string& key, const row_sink& sink) {
  const opening_id id{std::stoll(key)};
  persistence::select<opening_row>(from, "where id = $1", {id.value}, [&](const auto& r) { sink(to_row(r)); });
  persistence::select<counts_row>(from, "where id = $1", {id.value}, [&](const auto& r) { sink(to_row(r)); });
  each_application(from, id, "", [&](const application_row& a) { sink(to_row(a)); });
}

void kind::orphaned_rows(reader& from, const orphan_sink& sink) {
  each_without_head<opening_row>(from, sink);
  each_without_head<counts_row>(from, sink);
  // Some openings' applications at a time, so that no snapshot is held for long.
  static constexpr std::string_view sql =
      "select a.id from applications a left join openings o on o.id = a.id / 10000000"
      " where a.id >= $1 and a.id < $2 and o.id is null order by a.id";
  for (auto next = next_application(from, 0); next;) {
    const auto end = first_id({opening_of({*next}).value + openings_per_walk});
    from.query(sql, {*next, end},
               [&](const result_row& r) { sink(application_row::table_name, std::string{r.text(0)}); });
    next = next_application(from, end - 1);
  }
}

}  // namespace callboard::opening
