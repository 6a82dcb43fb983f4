#pragma once

#include "actors/opening/rows.hpp"
#include "actors/opening/shown_event.hpp"
#include "messages/opening.hpp"
#include "persistence/store.hpp"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

/// Openings and applications as lists show them: SQL on rows, no actor is asked.
namespace callboard::opening {

/// Jobs behind (created at, id), in that order.
std::vector<job> jobs_page(persistence::reader& from, std::pair<instant, opening_id> after, std::int64_t limit);

/// An application's row and its opening's title.
struct titled_application {
  application_row row;
  std::string title;
};

/// An applicant's applications with greater ids, in order.
std::vector<titled_application> applications_page(persistence::reader& from, applicant_id of, application_id after,
                                                  std::int64_t limit);
/// These applications, in no order.
std::vector<application_row> applications_by_id(persistence::reader& from, std::vector<std::int64_t> ids);

using reasons = std::unordered_map<std::int64_t, std::string>;

/// Why those of these applications ended that somebody gave a reason for.
reasons reasons_of(persistence::reader& from, std::vector<std::int64_t> applications);

/// What an applicant's timeline is made from.
struct trail {
  std::vector<std::string> subjects;  ///< application ids as the journal spells them
  reasons why;
};
trail trail_of(persistence::reader& from, applicant_id of);

/// Events behind (time, position), in that order.
std::vector<shown_event> timeline_page(persistence::reader& from, const trail& of,
                                       std::pair<instant, std::int64_t> after, std::int64_t limit);

}  // namespace callboard::opening
