#include "second_writer.hpp"

#include "messages/origin.hpp"
#include "messages/outcome.hpp"
#include "persistence/chain.hpp"
#include "persistence/spine_rows.hpp"

namespace callboard::simulation {
namespace {

using persistence::sql_param;

const persistence::reader::row_sink ignore = [](const persistence::result_row&) {};

sql_param param(const sql_value& v) {
  return std::visit([](const auto& x) { return sql_param{x}; }, v);
}

}  // namespace

void second_writer::put(const row& r) {
  std::string names, marks, key, changes;
  std::vector<sql_param> params;
  for (std::size_t i = 0; i < r.values.size(); ++i) {
    const std::string name{r.in->columns[i].name};
    const std::string comma = i == 0 ? "" : ", ";
    names += comma + name;
    marks += comma + "$" + std::to_string(i + 1);
    if (i < r.in->key_columns)
      key += comma + name;
    else
      changes += (changes.empty() ? "" : ", ") + name + " = excluded." + name;
    params.push_back(param(r.values[i]));
  }
  store_.write("insert into " + std::string{r.in->name} + " (" + names + ") values (" + marks + ") on conflict (" +
                   key + ") do update set " + changes,
               params, ignore);
}

void second_writer::append(const entity_id& to, const persistence::head& before, instant at,
                           const std::vector<event>& events) {
  const origin me{"second writer", "", "", "", "elsewhere"};
  const std::string kind{to.kind};
  auto seq = before.seq;
  auto hash = before.hash;
  for (const auto& e : events) {
    hash = persistence::chain_hash(hash, kind, to.key, ++seq, e.type, at, e.subject, me, e.data);
    const std::vector<sql_param> line{
        kind,          to.key,      seq,       e.type,   to_ms(at),  e.subject ? sql_param{*e.subject} : sql_param{},
        me.actor_type, me.actor_id, me.reason, me.trace, me.request, e.data,
        bytes{hash}};
    store_.write(
        "insert into journal (kind, key, seq, type, at, subject, actor_type, actor_id, reason, trace, request, "
        "data, hash) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        line, ignore);
  }
  const std::vector<sql_param> head{seq, to_ms(at), bytes{hash}, kind, to.key};
  store_.write(
      "insert into heads (seq, at, hash, kind, key) values ($1, $2, $3, $4, $5) on conflict (kind, key) do update "
      "set seq = excluded.seq, at = excluded.at, hash = excluded.hash",
      head, ignore);
}

void second_writer::wakes(const entity_id& e, instant due) {
  put(to_row(persistence::timer_row{std::string{e.kind}, e.key, shard_of(e.kind, e.key), due}));
}

void second_writer::answers(const std::string& digest, const std::string& body, const std::string& fingerprint) {
  put(to_row(
      persistence::request_row{{digest}, {fingerprint}, static_cast<std::int32_t>(success::created), body, now_}));
}

}  // namespace callboard::simulation
