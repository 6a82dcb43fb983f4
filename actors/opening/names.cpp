#include "actors/opening/names.hpp"

#include "actors/people/reads.hpp"

#include <unordered_map>
#include <vector>

namespace callboard::opening {
namespace {

template <class Entry>
void collect(std::vector<std::int64_t>& ids, const std::vector<Entry>& entries) {
  for (const auto& e : entries)
    ids.push_back(e.applicant.value);
}

/// An applicant who is not stored any more has no name.
template <class Entry>
void fill(std::vector<Entry>& entries, const std::unordered_map<applicant_id, applicant>& known) {
  for (auto& e : entries) {
    const auto it = known.find(e.applicant);
    if (it == known.end())
      continue;
    e.applicant_name = it->second.name;
    if constexpr (requires { e.applicant_email; })
      e.applicant_email = it->second.email;
  }
}

}  // namespace

void fill_names(persistence::reader& from, pipeline& p) {
  std::vector<std::int64_t> ids;
  collect(ids, p.active);
  collect(ids, p.waitlist);
  const auto known = people::of_ids(from, std::move(ids));
  fill(p.active, known);
  fill(p.waitlist, known);
}

void fill_names(persistence::reader& from, queue& q) {
  std::vector<std::int64_t> ids;
  collect(ids, q.waitlist);
  fill(q.waitlist, people::of_ids(from, std::move(ids)));
}

}  // namespace callboard::opening
