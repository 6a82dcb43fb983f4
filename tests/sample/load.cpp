#include "tests/sample/load.hpp"

#include "base/json_write.hpp"
#include "persistence/rows.hpp"
#include "tests/sample/rows.hpp"

namespace callboard::sample {

using persistence::reader;
using persistence::result_row;
using persistence::select;

void create_tables(persistence::store& in) {
  for (const auto table : tables)
    in.write(table, {}, [](const result_row&) {});
}

std::unordered_map<std::string, state> kind::load(reader& from, const std::vector<std::string>& keys) {
  std::unordered_map<std::string, state> states;
  select<counter_row>(from, "where key = any($1::text[])", {keys}, [&](const counter_row& r) {
    auto& s = states[r.key];
    s.key = r.key;
    s.exists = true;
    s.limit = r.limit;
    s.sum = r.sum;
    s.deadline = r.deadline;
    s.fails = r.fails;
    s.asked = r.asked;
  });
  constexpr std::string_view of_counters = "where counter = any($1::text[])";
  select<name_row>(from, of_counters, {keys}, [&](const name_row& r) { states[r.counter].name = r.name; });
  select<ask_row>(from, of_counters, {keys}, [&](const ask_row& r) {
    states[r.counter].unanswered[r.id] = {r.target, r.n};
  });
  select<received_row>(from, of_counters, {keys}, [&](const received_row& r) {
    states[r.counter].received[r.id] = {r.sender, r.n};
  });
  return states;
}

std::optional<std::string> owner_of(reader& from, const std::string& name) {
  std::optional<std::string> owner;
  select<name_row>(from, "where name = $1", {name}, [&](const name_row& r) { owner = r.counter; });
  return owner;
}

void kind::stored_rows(reader& from, const std::string& key, const row_sink& sink) {
  const auto pass_on = [&](const auto& r) { sink(to_row(r)); };
  select<counter_row>(from, "where key = $1", {key}, pass_on);
  select<name_row>(from, "where counter = $1", {key}, pass_on);
  select<ask_row>(from, "where counter = $1", {key}, pass_on);
  select<received_row>(from, "where counter = $1", {key}, pass_on);
}

void kind::orphaned_rows(reader& from, const orphan_sink& sink) {
  constexpr std::string_view without_head =
      " where not exists (select 1 from heads h where h.kind = 'sample' and h.key = ";
  const auto report = [&]<stored Row>(std::type_identity<Row>, std::string_view owner) {
    const std::string column{owner};
    from.query("select " + column + " from " + std::string{Row::table_name} + " r" + std::string{without_head} + "r." +
                   column + ")",
               {}, [&](const result_row& r) { sink(Row::table_name, std::string{r.text(0)}); });
  };
  report(std::type_identity<counter_row>{}, "key");
  report(std::type_identity<name_row>{}, "counter");
  report(std::type_identity<ask_row>{}, "counter");
  report(std::type_identity<received_row>{}, "counter");
}

std::string kind::state_text(reader&, state& s, instant, std::int64_t) { return s.exists ? to_json(shown(s)) : "null"; }

}  // namespace callboard::sample
