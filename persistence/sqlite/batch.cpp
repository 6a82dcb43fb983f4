#include "persistence/sqlite/batch.hpp"

namespace callboard::persistence {

namespace {

constexpr std::string_view move_writer_sql = "update writers set batch = ?1 where node = ?2 and batch = ?1 - 1";
constexpr std::string_view writer_sql = "select batch from writers where node = $1";
constexpr std::string_view move_head_sql =
    "update heads set seq = ?3, at = ?4, hash = ?5 where kind = ?1 and key = ?2 and seq = ?6";
constexpr std::string_view new_head_sql =
    "insert into heads (kind, key, seq, at, hash) values (?1, ?2, ?3, ?4, ?5) on conflict do nothing";
constexpr std::string_view line_sql =
    "insert into journal (kind, key, seq, type, at, subject, actor_type, actor_id, reason, trace, request, data, hash) "
    "values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

std::string upsert_sql(const table& t) {
  std::string names, marks, key, changes;
  for (std::size_t i = 0; i < t.columns.size(); ++i) {
    const std::string name{t.columns[i].name};
    const char* comma = i == 0 ? "" : ", ";
    names += comma + name;
    marks += comma + ("?" + std::to_string(i + 1));
    if (i < t.key_columns)
      key += comma + name;
    else
      changes += (changes.empty() ? "" : ", ") + name + " = " +
                 (t.partial_update ? "coalesce(excluded." + name + ", t." + name + ")" : "excluded." + name);
  }
  const std::string conflict{t.conflict.empty() ? std::string_view{key} : t.conflict};
  const std::string first{t.columns.front().name};
  if (t.first_writer_wins)
    changes = first + " = t." + first;
  auto sql = "insert into " + std::string{t.name} + " as t (" + names + ") values (" + marks + ") on conflict (" +
             conflict + ") do ";
  sql += changes.empty() ? "nothing" : "update set " + changes;
  if (!t.owner_predicate.empty())
    sql += " where " + std::string{t.owner_predicate};
  return sql;
}

std::string name_in(const sql_value& name) {
  if (const auto* text = std::get_if<std::string>(&name))
    return *text;
  if (const auto* raw = std::get_if<bytes>(&name))
    return raw->data;
  const auto* number = std::get_if<std::int64_t>(&name);
  return number != nullptr ? std::to_string(*number) : std::string{};
}

std::string erase_sql(const table& t) {
  std::string sql = "delete from " + std::string{t.name};
  for (std::size_t i = 0; i < t.key_columns; ++i)
    sql += (i == 0 ? " where " : " and ") + std::string{t.columns[i].name} + " = ?" + std::to_string(i + 1);
  return sql;
}

}  // namespace

commit_status status_of(const sqlite_failure& e) {
  switch (e.primary()) {
  case SQLITE_FULL:
    return commit_status::full;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
  case SQLITE_NOMEM:
  case SQLITE_INTERRUPT:
  case SQLITE_SCHEMA:
  case SQLITE_ERROR:
    return commit_status::transient;
  case SQLITE_CONSTRAINT:
  case SQLITE_TOOBIG:
  case SQLITE_MISMATCH:
  case SQLITE_RANGE:
    return commit_status::poison;
  default:
    return commit_status::unknown;
  }
}

commit_outcome sqlite_batch::commit(const batch& b) {
  try {
    return write(b);
  } catch (const sqlite_failure& e) {
    commit_outcome out{.how = status_of(e), .why = e.what()};
    if (!roll_back())
      out.how = commit_status::unknown;
    return out;
  }
}

commit_outcome sqlite_batch::write(const batch& b) {
  db_.prepared("begin immediate").run();
  failure why = move_writer(b.number);
  if (!why)
    why = move_heads(b);
  if (!why)
    why = put_names(b);
  if (!why)
    why = put_lines(b);
  if (why) {
    if (!roll_back())
      why->how = commit_status::unknown;
    return std::move(*why);
  }
  const auto last = b.lines.empty() ? 0 : db_.last_rowid();
  put_rows(b);
  db_.prepared("commit").run();
  return {.how = commit_status::committed, .last_position = last};
}

sqlite_batch::failure sqlite_batch::move_writer(std::int64_t number) {
  auto& s = db_.prepared(move_writer_sql);
  s.bind(1, number);
  s.bind(2, std::string_view{node_});
  s.run();
  if (db_.changes() == 1)
    return std::nullopt;
  std::int64_t found = -1;
  const sql_param node[] = {node_};
  db_.query(writer_sql, node, [&](const result_row& r) { found = r.integer(0); });
  if (found == number)
    return commit_outcome{.how = commit_status::committed,
                          .last_position = db_.number("select max(pos) from journal"),
                          .why = "the batch had already committed"};
  return commit_outcome{.how = found < number - 1 ? commit_status::backwards : commit_status::unknown,
                        .why = "the writer's row is at " + std::to_string(found)};
}

sqlite_batch::failure sqlite_batch::move_heads(const batch& b) {
  commit_outcome out{.how = commit_status::head_moved};
  for (const auto& h : b.heads) {
    auto& s = db_.prepared(h.expected == 0 ? new_head_sql : move_head_sql);
    s.bind(1, h.entity->kind);
    s.bind(2, std::string_view{h.entity->key});
    s.bind(3, h.seq);
    s.bind(4, to_ms(h.at));
    s.bind_blob(5, *h.hash);
    if (h.expected != 0)
      s.bind(6, h.expected);
    s.run();
    if (db_.changes() != 1)
      out.heads.push_back(*h.entity);
  }
  return out.heads.empty() ? std::nullopt : failure{std::move(out)};
}

sqlite_batch::failure sqlite_batch::put_names(const batch& b) {
  commit_outcome out{.how = commit_status::name_taken};
  for (const auto& t : b.tables)
    if (!t.in->owner_predicate.empty())
      for (const auto* r : t.upserts)
        if (!put(*r))
          out.names.push_back({t.in, name_in(r->values[t.in->name_column])});
  return out.names.empty() ? std::nullopt : failure{std::move(out)};
}

sqlite_batch::failure sqlite_batch::put_lines(const batch& b) {
  auto& s = db_.prepared(line_sql);
  for (const auto& l : b.lines) {
    s.bind(1, l.entity->kind);
    s.bind(2, std::string_view{l.entity->key});
    s.bind(3, l.seq);
    s.bind(4, l.type);
    s.bind(5, to_ms(l.at));
    if (l.subject != nullptr && *l.subject)
      s.bind(6, std::string_view{**l.subject});
    else
      s.bind_null(6);
    s.bind(7, std::string_view{l.by->actor_type});
    s.bind(8, std::string_view{l.by->actor_id});
    s.bind(9, std::string_view{l.by->reason});
    s.bind(10, std::string_view{l.by->trace});
    s.bind(11, std::string_view{l.by->request});
    s.bind(12, std::string_view{*l.data});
    s.bind_blob(13, *l.hash);
    try {
      s.run();
    } catch (const sqlite_failure& e) {
      if (e.code != SQLITE_CONSTRAINT_UNIQUE)
        throw;
      // The head had the expected seq and yet the journal has this event: another process writes without moving heads.
      return commit_outcome{.how = commit_status::head_moved,
                            .heads = {*l.entity},
                            .why = std::string{"the journal already holds this event: "} + e.what()};
    }
  }
  return std::nullopt;
}

void sqlite_batch::put_rows(const batch& b) {
  for (const auto& t : b.tables) {
    if (t.in->owner_predicate.empty())
      for (const auto* r : t.upserts)
        put(*r);
    erase(t);
  }
}

bool sqlite_batch::put(const row& r) {
  auto& s = of(*r.in).upsert;
  for (std::size_t i = 0; i < r.values.size(); ++i)
    s.bind(static_cast<int>(i) + 1, r.values[i]);
  s.run();
  return db_.changes() == 1;
}

void sqlite_batch::erase(const table_rows& rows) {
  for (const auto* r : rows.erasures) {
    auto& s = of(*rows.in).erase;
    for (std::size_t i = 0; i < rows.in->key_columns; ++i)
      s.bind(static_cast<int>(i) + 1, r->values[i]);
    s.run();
  }
}

sqlite_batch::table_statements& sqlite_batch::of(const table& t) {
  if (const auto it = tables_.find(&t); it != tables_.end())
    return it->second;
  return tables_.try_emplace(&t, table_statements{{db_.raw(), upsert_sql(t)}, {db_.raw(), erase_sql(t)}}).first->second;
}

bool sqlite_batch::roll_back() noexcept {
  // SQLite rolls back by itself on some errors.
  if (!db_.in_transaction())
    return true;
  try {
    db_.prepared("rollback").run();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace callboard::persistence
