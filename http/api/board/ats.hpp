#pragma once

#include "base/json.hpp"
#include "messages/board.hpp"

#include <optional>
#include <string>
#include <vector>

/// The public job lists of applicant tracking systems, as they come.
namespace callboard::http {

/// A job of such a list under our names. What is missing is empty; who ingests it says what that means.
struct listed_job {
  std::string board;
  std::string job_id;
  std::string title;
  std::string url;
  std::string location;
  std::string department;
  static constexpr auto fields =
      std::tuple{field{"board", &listed_job::board},       field{"job_id", &listed_job::job_id},
                 field{"title", &listed_job::title},       field{"url", &listed_job::url},
                 field{"location", &listed_job::location}, field{"department", &listed_job::department}};
};

/// Whose shape a list has; nothing when it has none, or too little of it.
std::optional<board::tracker> shape_of(const json_value& list);

/// The jobs of a list in a system's own words; nothing when it is no such list.
std::optional<std::vector<listed_job>> jobs_in(const json_value& list, board::tracker from, const std::string& board);

}  // namespace callboard::http
