#include "second_writer.hpp"

#include "actors/opening/load.hpp"
#include "actors/opening/rules.hpp"
#include "messages/event_codec.hpp"
#include "messages/people.hpp"
#include "persistence/chain.hpp"
#include "persistence/history.hpp"
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

void second_writer::decides(const std::string& job, const opening::command& c) {
  const auto from = store_.open_reader();
  const auto before = persistence::find_head(*from, opening::kind::name, job).value_or(persistence::head{});
  auto found = opening::load_states(*from, {job});
  auto state = found.contains(job) ? found.at(job) : opening::kind::initial(job);
  decision<opening::kind> d{state, std::max(now_, before.at), before.seq};
  opening::kind::decide(d, c);
  const origin me{"foreigner", "", "", "", "elsewhere"};
  auto seq = before.seq;
  auto hash = before.hash;
  for (const auto& e : d.events) {
    const auto [type, data] = encode_event(e);
    const auto subject = opening::kind::subject(e);
    hash = persistence::chain_hash(hash, opening::kind::name, job, ++seq, type, d.now, subject, me, data);
    const std::vector<sql_param> line{std::string{opening::kind::name},
                                      job,
                                      seq,
                                      std::string{type},
                                      to_ms(d.now),
                                      subject ? sql_param{*subject} : sql_param{},
                                      me.actor_type,
                                      me.actor_id,
                                      me.reason,
                                      me.trace,
                                      me.request,
                                      data,
                                      bytes{hash}};
    store_.write(
        "insert into journal (kind, key, seq, type, at, subject, actor_type, actor_id, reason, trace, request, "
        "data, hash) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        line, ignore);
  }
  const std::vector<sql_param> head{seq, to_ms(d.now), bytes{hash}, std::string{opening::kind::name}, job};
  store_.write(
      "insert into heads (seq, at, hash, kind, key) values ($1, $2, $3, $4, $5) on conflict (kind, key) do update "
      "set seq = excluded.seq, at = excluded.at, hash = excluded.hash",
      head, ignore);
  std::vector<row> rows;
  opening::kind::rows(state, d.changed, seq, rows);
  if (const auto due = opening::kind::deadline(state))
    rows.push_back(to_row(
        persistence::timer_row{std::string{opening::kind::name}, job, shard_of(opening::kind::name, job), *due}));
  for (const auto& r : rows)
    put(r);
}

void second_writer::registers(std::int64_t id, const std::string& email) {
  put(to_row(applicant_row{{id}, "Stranger", email, now_}));
}

void second_writer::answers(const std::string& digest, const std::string& body, const std::string& fingerprint) {
  put(to_row(
      persistence::request_row{{digest}, {fingerprint}, static_cast<std::int32_t>(success::created), body, now_}));
}

}  // namespace callboard::simulation
