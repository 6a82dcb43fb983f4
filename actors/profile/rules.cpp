#include "actors/profile/rules.hpp"

namespace callboard::profile {
namespace {

using deciding = decision<kind>;
using answer = kind::answer;

answer on(deciding& d, const put& c) {
  const bool is_new = !d.state().exists;
  d.changed.what = c.what;
  d.happened(updated{});
  return result{profile{d.state().user_id, c.what.interest_tags, c.what.default_answers, c.what.resumes,
                        d.state().updated_at, d.version(), is_new}};
}

answer on(deciding&, const tick&) { return result{nothing{}}; }

}  // namespace

state kind::initial(const std::string& key) {
  state s;
  s.user_id = key;
  return s;
}

answer kind::decide(decision<kind>& d, const command& c) {
  return std::visit([&](const auto& one) -> answer { return on(d, one); }, c);
}

void kind::evolve(state& s, const event&, instant at, changes&) {
  s.exists = true;
  s.updated_at = at;
}

void kind::rows(const state& s, const changes& changed, std::int64_t, std::vector<row>& out) {
  const auto what = changed.what.value_or(contents{});
  out.push_back(to_row(profile_row{s.user_id, s.updated_at, to_json(what.interest_tags), to_json(what.default_answers),
                                   to_json(what.resumes)}));
}

}  // namespace callboard::profile
