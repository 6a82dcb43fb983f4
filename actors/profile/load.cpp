#include "actors/profile/rules.hpp"
#include "persistence/rows.hpp"

namespace callboard::profile {

using persistence::reader;
using persistence::result_row;

std::unordered_map<std::string, state> kind::load(reader& from, const std::vector<std::string>& keys) {
  std::unordered_map<std::string, state> states;
  from.query("select user_id, updated_at from profiles where user_id = any($1::text[])", {keys},
             [&](const result_row& r) {
               states.emplace(r.text(0), state{std::string{r.text(0)}, true, from_ms(r.integer(1))});
             });
  return states;
}

void kind::stored_rows(reader& from, const std::string& key, const row_sink& sink) {
  persistence::select<profile_row>(from, "where user_id = $1", {key}, [&](const auto& r) { sink(to_row(r)); });
}

void kind::orphaned_rows(reader& from, const orphan_sink& sink) {
  from.query("select p.user_id from profiles p left join heads h on h.kind = 'profile' and h.key = p.user_id"
             " where h.key is null",
             {}, [&](const result_row& r) { sink(profile_row::table_name, std::string{r.text(0)}); });
}

}  // namespace callboard::profile
