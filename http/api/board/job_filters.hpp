#pragma once

#include "actors/board_job/reads.hpp"
#include "http/transport/request_context.hpp"

#include <optional>
#include <string>

namespace callboard::http {

std::string lower_case(std::string text);

/// What a caller looks for: its board, its tag, and any of the tags that interest the user, if he has said some.
task<board_job::job_filter> filter_of(request_context& x, std::optional<std::string> board,
                                      std::optional<std::string> tag, std::optional<std::string> user_id);

}  // namespace callboard::http
