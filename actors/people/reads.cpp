#include "actors/people/reads.hpp"

#include "persistence/rows.hpp"

namespace callboard::people {
namespace {

applicant shown(applicant_row&& r) { return {r.id, std::move(r.name), std::move(r.email), r.created_at}; }

}  // namespace

std::optional<applicant> find(persistence::reader& from, applicant_id id) {
  std::optional<applicant> found;
  persistence::select<applicant_row>(from, "where id = $1", {id.value},
                                     [&](applicant_row r) { found = shown(std::move(r)); });
  return found;
}

std::optional<applicant> find(persistence::reader& from, const std::string& email) {
  std::optional<applicant> found;
  persistence::select<applicant_row>(from, "where email = $1", {email},
                                     [&](applicant_row r) { found = shown(std::move(r)); });
  return found;
}

std::vector<applicant> page(persistence::reader& from, applicant_id after, std::int64_t limit) {
  std::vector<applicant> out;
  persistence::select<applicant_row>(from, "where id > $1 order by id limit $2", {after.value, limit},
                                     [&](applicant_row r) { out.push_back(shown(std::move(r))); });
  return out;
}

std::unordered_map<applicant_id, applicant> of_ids(persistence::reader& from, std::vector<std::int64_t> ids) {
  std::unordered_map<applicant_id, applicant> out;
  if (ids.empty())
    return out;
  out.reserve(ids.size());
  persistence::select<applicant_row>(from, "where id = any($1::bigint[])", {std::move(ids)}, [&](applicant_row r) {
    const auto id = r.id;
    out.emplace(id, shown(std::move(r)));
  });
  return out;
}

}  // namespace callboard::people
