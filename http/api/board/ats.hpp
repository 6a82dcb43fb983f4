#pragma once

#include "base/json.hpp"
#include "http/api/board/ingest_bodies.hpp"
#include "messages/board.hpp"

#include <optional>
#include <string>
#include <vector>

/// The public job lists of applicant tracking systems, as they come.
namespace callboard::http {

/// Whose shape a list has; nothing when it has none, or too little of it.
std::optional<board::tracker> shape_of(const json_value& list);

/// The jobs of a system's list, unchecked: what is missing is empty. Nothing when it is no such list.
std::optional<std::vector<ingested_job>> jobs_in(const json_value& list, board::tracker from, const std::string& board);

}  // namespace callboard::http
