#include "actors/queue/rules.hpp"

#include "actors/queue/decide.hpp"

#include <algorithm>

namespace callboard::queue {

state kind::initial(const std::string& key) {
  state s;
  s.name = key;
  return s;
}

answer kind::decide(decision<kind>& d, const command& c) {
  return std::visit([&](const auto& one) -> answer { return on(d, one); }, c);
}

std::optional<instant> kind::deadline(const state& s) {
  std::optional<instant> due;
  const auto sooner = [&](const timed_slots& set, milliseconds later) {
    if (!set.empty() && (!due || set.begin()->first + later < *due))
      due = set.begin()->first + later;
  };
  sooner(s.leases, {});
  sooner(s.scheduled, {});
  sooner(s.ttls, {});
  sooner(s.dead, dead_retention);
  return due;
}

void kind::rows(const state&, const changes& changed, std::int64_t, std::vector<row>& out) {
  out.insert(out.end(), changed.rows.begin(), changed.rows.end());
}

std::size_t kind::weight(const state& s) { return 2'048 + s.slots->size() * 280; }

milliseconds kind::wait_limit(const command& c) {
  const auto* request = std::get_if<claim>(&c);
  return milliseconds{request ? request->wait_s * 1'000 : 0};
}

bool kind::can_answer(const state& s, const command& c, instant now) {
  const auto* request = std::get_if<claim>(&c);
  if (!request)
    return true;
  if (room(s, now) == 0)
    return false;
  if (!request->types)
    return !s.heads.empty();
  return std::any_of(request->types->begin(), request->types->end(), [&](const std::string& name) {
    const auto it = s.types.find(name);
    return it != s.types.end() && !it->second->ready.empty();
  });
}

bool kind::can_answer_any(const state& s, instant now) { return !s.heads.empty() && room(s, now) > 0; }

std::optional<instant> kind::next_possible_at(const state& s, instant now) {
  if (!s.rate_per_s || s.heads.empty() || s.paused || room(s, now) > 0)
    return std::nullopt;
  for (const auto& [at, n] : s.recent_claims)
    if (at > now - seconds{1})
      return at + seconds{1};
  return std::nullopt;
}

std::string token_text(std::string_view queue, std::int64_t token) {
  return std::string{queue} + ':' + std::to_string(token);
}

std::optional<principal> kind::actor_of(const command& c) {
  const auto* wanted = std::get_if<claim>(&c);
  return wanted ? std::optional{principal{"worker", wanted->worker, {}}} : std::nullopt;
}

}  // namespace callboard::queue
