#include "http/api/board/job_filters.hpp"

#include "actors/profile/reads.hpp"
#include "http/api/ask.hpp"

namespace callboard::http {

std::string lower_case(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return text;
}

task<board_job::job_filter> filter_of(request_context& x, std::optional<std::string> board,
                                      std::optional<std::string> tag, std::optional<std::string> user_id) {
  board_job::job_filter out{std::move(board), std::nullopt, {}};
  if (tag)
    out.tags.push_back({lower_case(std::move(*tag))});
  if (!user_id)
    co_return out;
  const auto question = [id = std::move(*user_id)](persistence::reader& from) {
    return profile::find_profile(from, id);
  };
  auto who = co_await read(x, question);
  if (who && !who->interest_tags.empty())
    out.tags.push_back(std::move(who->interest_tags));
  co_return out;
}

}  // namespace callboard::http
