#include "actors/opening/rows.hpp"

#include <charconv>
#include <unordered_set>

namespace callboard::opening {
namespace {

std::string joined(const std::deque<instant>& times) {
  std::string out;
  for (const auto t : times)
    out += (out.empty() ? "" : ",") + std::to_string(to_ms(t));
  return out;
}

std::deque<instant> split(std::string_view list) {
  std::deque<instant> out;
  for (const char *at = list.data(), *end = at + list.size(); at < end;) {
    std::int64_t ms = 0;
    at = std::from_chars(at, end, ms).ptr + 1;
    out.push_back(from_ms(ms));
  }
  return out;
}

}  // namespace

void put_rows(const state& s, const changes& changed, std::int64_t version, std::vector<row>& out) {
  if (changed.opening)
    out.push_back(to_row(opening_row{s.id, s.title, s.description, s.capacity, s.ack_window_s, s.offer_on_apply,
                                     s.ack_window_on_apply_s, s.phase, s.owner, s.created_at}));
  std::int64_t pending = static_cast<std::int64_t>(s.offers.size());
  out.push_back(to_row(counts_row{
      s.id, static_cast<std::int64_t>(s.live.size()) - pending, pending, static_cast<std::int64_t>(s.waiting.size()),
      s.total, s.tail, s.cooling ? std::optional{s.cooling->n} : std::nullopt,
      s.cooling ? std::optional{s.cooling->until} : std::nullopt, joined(s.promotions), s.promotion_count,
      s.promotion_ms, s.acknowledgment_count, s.acknowledgment_ms, s.decays, version}));
  // The last touch of an application is how it is now.
  std::unordered_set<std::int64_t> done;
  for (auto it = changed.applications.rbegin(); it != changed.applications.rend(); ++it) {
    if (changed.applications.size() > 1 && !done.insert(it->n).second)
      continue;
    const bool waits = it->status == status::waitlist;
    const bool explained = changed.reason && changed.reason->first == it->n;
    out.push_back(to_row(application_row{application_of(s.id, it->n), it->applicant, it->status,
                                         waits ? std::optional{it->rank} : std::nullopt, it->penalty, it->applied_at,
                                         it->promoted_at, it->deadline, it->since,
                                         explained ? std::optional{changed.reason->second} : std::nullopt}));
  }
}

state from_rows(const opening_row& what, const counts_row& how) {
  state s;
  s.id = what.id;
  s.exists = true;
  s.title = what.title;
  s.description = what.description;
  s.capacity = what.capacity;
  s.ack_window_s = what.ack_window_s;
  s.offer_on_apply = what.offer_on_apply;
  s.ack_window_on_apply_s = what.ack_window_on_apply_s;
  s.phase = what.phase;
  s.owner = what.owner;
  s.created_at = what.created_at;
  s.total = how.total;
  s.tail = how.tail;
  if (how.cooling)
    s.cooling = {*how.cooling, how.cools_until.value()};
  s.promotions = split(how.promotions);
  s.promotion_count = how.promotion_count;
  s.promotion_ms = how.promotion_ms;
  s.acknowledgment_count = how.acknowledgment_count;
  s.acknowledgment_ms = how.acknowledgment_ms;
  s.decays = how.decays;
  const auto expected = static_cast<std::size_t>(how.active + how.pending + how.waiting);
  s.applications.reserve(expected);
  s.by_applicant.reserve(expected);
  return s;
}

void add_row(state& s, const application_row& a) {
  const auto n = ordinal_of(a.id);
  s.applications.emplace(n, application{n, a.applicant, a.status, a.rank.value_or(0), a.penalty, a.applied_at,
                                        a.promoted_at, a.deadline, a.since});
  s.by_applicant.emplace(a.applicant.value, n);
  if (a.status == status::waitlist)
    s.waiting.add(*a.rank, n);
  else
    s.live.insert(n);
  if (a.status == status::pending_acknowledgment)
    s.offers.insert({*a.deadline, n});
}

}  // namespace callboard::opening
