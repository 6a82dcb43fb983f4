#include "persistence/history.hpp"

#include <algorithm>

namespace callboard::persistence {
namespace {

constexpr std::string_view entry_columns =
    "select pos, kind, key, seq, type, at, subject, actor_type, actor_id, reason,"
    " trace, request, data, hash from journal ";
/// Positions that one query of a filtered audit may scan.
constexpr std::int64_t positions_per_look = 50'000;

journal_entry entry_of(const result_row& r) {
  return {r.integer(0),
          std::string{r.text(1)},
          std::string{r.text(2)},
          r.integer(3),
          std::string{r.text(4)},
          from_ms(r.integer(5)),
          r.is_null(6) ? std::nullopt : std::optional{std::string{r.text(6)}},
          {std::string{r.text(7)}, std::string{r.text(8)}, std::string{r.text(9)}, std::string{r.text(10)},
           std::string{r.text(11)}},
          std::string{r.text(12)},
          r.blob(13)};
}

std::vector<journal_entry> entries(reader& from, std::string_view rest, std::span<const sql_param> params) {
  std::vector<journal_entry> out;
  from.query(std::string{entry_columns} + std::string{rest}, params,
             [&](const result_row& r) { out.push_back(entry_of(r)); });
  return out;
}

std::vector<std::string> keys(reader& from, std::string_view sql, std::string_view kind, const std::string& after,
                              std::int64_t limit) {
  std::vector<std::string> out;
  from.query(sql, {std::string{kind}, after, limit}, [&](const result_row& r) { out.emplace_back(r.text(0)); });
  return out;
}

std::int64_t last_position(reader& from) {
  std::int64_t last = 0;
  from.query("select pos from journal order by pos desc limit 1", {},
             [&](const result_row& r) { last = r.integer(0); });
  return last;
}

/// A where clause that grows with its parameters.
struct conditions {
  std::string sql;
  std::vector<sql_param> params;

  void add(std::string_view what, sql_param value) {
    params.push_back(std::move(value));
    sql += (sql.empty() ? "where " : " and ") + std::string{what} + " $" + std::to_string(params.size());
  }
};

/// The kind is compared as an expression, so that the planner does not prefer its index: nearly every event has it.
constexpr std::string_view kind_without_index = "kind || '' =";

conditions of(const audit_filter& f, std::string_view kind_is) {
  conditions c;
  if (f.kind)
    c.add(kind_is, *f.kind);
  if (f.key)
    c.add("key =", *f.key);
  if (f.since)
    c.add("at >=", to_ms(*f.since));
  if (f.until)
    c.add("at <=", to_ms(*f.until));
  return c;
}

/// The seq of the entity's event at this position; 0 when the event is not the entity's.
std::int64_t seq_at(reader& from, const audit_filter& f, std::int64_t position) {
  std::int64_t seq = 0;
  from.query("select seq from journal where pos = $1 and kind = $2 and key = $3", {position, *f.kind, *f.key},
             [&](const result_row& r) { seq = r.integer(0); });
  return seq;
}

/// Events of one entity, read by the index on (kind, key, seq): within an entity, seq and position have one order.
std::vector<journal_entry> look_at_entity(reader& from, const audit_filter& f, std::int64_t after, std::int64_t limit) {
  auto c = of(f, "kind =");
  c.add("seq >", seq_at(from, f, after));
  c.add("pos >", after);
  c.params.emplace_back(limit);
  return entries(from, c.sql + " order by seq limit $" + std::to_string(c.params.size()), c.params);
}

/// Events by position. A filter may skip many rows, so each query scans a bounded range.
std::vector<journal_entry> look_at_all(reader& from, const audit_filter& f, std::int64_t after, std::int64_t limit) {
  std::vector<journal_entry> found;
  const auto last = last_position(from);
  while (found.empty() && after < last) {
    auto c = of(f, kind_without_index);
    c.add("pos >", after);
    c.add("pos <=", after + positions_per_look);
    c.params.emplace_back(limit);
    found = entries(from, c.sql + " order by pos limit $" + std::to_string(c.params.size()), c.params);
    after += positions_per_look;
  }
  return found;
}

}  // namespace

std::optional<head> find_head(reader& from, std::string_view kind, const std::string& key) {
  std::optional<head> found;
  from.query("select seq, at, hash from heads where kind = $1 and key = $2", {std::string{kind}, key},
             [&](const result_row& r) {
               found = {r.integer(0), from_ms(r.integer(1)), r.blob(2)};
             });
  return found;
}

std::vector<std::string> entity_keys(reader& from, std::string_view kind, const std::string& after,
                                     std::int64_t limit) {
  return keys(from, "select key from heads where kind = $1 and key > $2 order by key limit $3", kind, after, limit);
}

std::vector<std::string> journal_keys(reader& from, std::string_view kind, const std::string& after,
                                      std::int64_t limit) {
  return keys(from, "select key from journal where kind = $1 and key > $2 and seq = 1 order by key limit $3", kind,
              after, limit);
}

std::vector<journal_entry> entity_page(reader& from, std::string_view kind, const std::string& key, std::int64_t after,
                                       std::optional<instant> until, std::int64_t limit) {
  const sql_param params[] = {std::string{kind}, key, after, limit, until ? to_ms(*until) : INT64_MAX};
  return entries(from, "where kind = $1 and key = $2 and seq > $3 and at <= $5 order by seq limit $4", params);
}

std::vector<journal_entry> subjects_page(reader& from, std::string_view kind, std::vector<std::string> subjects,
                                         std::pair<instant, std::int64_t> after, std::int64_t limit) {
  const sql_param params[] = {std::string{kind}, std::move(subjects), to_ms(after.first), after.second, limit};
  return entries(from,
                 "where " + std::string{kind_without_index} +
                     " $1 and subject = any($2::text[]) and (at, pos) > ($3, $4) order by at, pos limit $5",
                 params);
}

audit_page audit(reader& from, const audit_filter& filter, std::int64_t after, std::int64_t limit,
                 std::size_t bytes_max) {
  constexpr std::int64_t rows_per_look = 100;
  const auto look = filter.kind && filter.key ? look_at_entity : look_at_all;
  audit_page page;
  std::size_t bytes = 0;
  for (;;) {
    auto found = look(from, filter, after, rows_per_look);
    if (found.empty())
      return page;
    for (auto& e : found) {
      // One event more than fits shows that there is a next page.
      if (static_cast<std::int64_t>(page.events.size()) == limit || bytes >= bytes_max) {
        page.next = after;
        return page;
      }
      after = e.position;
      bytes += e.data.size();
      page.events.push_back(std::move(e));
    }
  }
}

}  // namespace callboard::persistence
