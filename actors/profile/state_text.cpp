#include "actors/profile/rules.hpp"
#include "base/json_write.hpp"

namespace callboard::profile {

namespace {
struct profile_state {
  std::string user_id;
  instant updated_at;
  static constexpr auto fields =
      std::tuple{field{"user_id", &profile_state::user_id}, field{"updated_at", &profile_state::updated_at}};
};
}  // namespace

std::string kind::state_text(persistence::reader&, state& s, instant, std::int64_t) {
  return s.exists ? to_json(profile_state{s.user_id, s.updated_at}) : "null";
}

}  // namespace callboard::profile
