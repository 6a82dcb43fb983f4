#include "http/api/opening/names.hpp"

#include "actors/people/reads.hpp"
#include "http/api/pages.hpp"

namespace callboard::http {
namespace {

template <class Entry>
void collect(std::vector<std::int64_t>& ids, const std::vector<Entry>& entries) {
  for (const auto& e : entries)
    ids.push_back(e.applicant.value);
}

/// Who is not stored any more has no name.
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

void fill_names(persistence::reader& from, opening::pipeline& p) {
  std::vector<std::int64_t> ids;
  collect(ids, p.active);
  collect(ids, p.waitlist);
  const auto known = people::of_ids(from, std::move(ids));
  fill(p.active, known);
  fill(p.waitlist, known);
}

void fill_names(persistence::reader& from, opening::queue& q) {
  std::vector<std::int64_t> ids;
  collect(ids, q.waitlist);
  fill(q.waitlist, people::of_ids(from, std::move(ids)));
}

void write_pipeline_members(std::string& out, const opening::pipeline& p) {
  write_json_members(out, p.job);
  out += R"(,"activeApplicants":)";
  write_json(out, p.active);
  out += R"(,"waitlistApplicants":)";
  write_json(out, p.waitlist);
  if (p.next)
    write_cut_off(out, {p.next->live, p.next->rank});
}

std::string to_text(const opening::pipeline& p) {
  std::string out = "{";
  write_pipeline_members(out, p);
  return out += '}';
}

std::string to_text(const opening::queue& q) {
  std::string out = "{";
  write_json_members(out, q);
  if (q.next)
    write_cut_off(out, {q.next->live, q.next->rank});
  return out += '}';
}

}  // namespace callboard::http
