#include "actors/profile/reads.hpp"

#include "actors/profile/rules.hpp"
#include "base/json.hpp"
#include "persistence/rows.hpp"

namespace callboard::profile {
namespace {

std::vector<std::string> texts_in(std::string_view json) {
  std::vector<std::string> out;
  std::string why;
  if (const auto document = json_document::parse(json, why))
    for (auto item = document->root().first(); item; item = item->next())
      out.emplace_back(item->string());
  return out;
}

}  // namespace

std::optional<profile> find_profile(persistence::reader& from, const std::string& user_id) {
  static const std::string sql = "select " + persistence::columns<profile_row>("p") +
                                 ", h.seq from profiles p left join heads h on h.kind = 'profile' and h.key = p.user_id"
                                 " where p.user_id = $1";
  std::optional<profile> found;
  from.query(sql, {user_id}, [&](const persistence::result_row& r) {
    auto p = persistence::read_row<profile_row>(r);
    found = profile{std::move(p.user_id),
                    texts_in(p.interest_tags),
                    {std::move(p.default_answers)},
                    {std::move(p.resumes)},
                    p.updated_at,
                    r.integer(field_count<profile_row>)};
  });
  return found;
}

}  // namespace callboard::profile
