#pragma once

#include "messages/people.hpp"
#include "persistence/store.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

/// Applicants as lists and look-ups show them.
namespace callboard::people {

std::optional<applicant> find(persistence::reader& from, applicant_id id);
/// The e-mail as it is stored: trimmed and lower-cased.
std::optional<applicant> find(persistence::reader& from, const std::string& email);

/// Those with greater ids, in order.
std::vector<applicant> page(persistence::reader& from, applicant_id after, std::int64_t limit);

/// By id; who is not stored (any more) is missing.
std::unordered_map<applicant_id, applicant> of_ids(persistence::reader& from, std::vector<std::int64_t> ids);

}  // namespace callboard::people
