#include "actors/opening/names.hpp"
#include "actors/opening/rules.hpp"
#include "base/cursor.hpp"
#include "base/json_write.hpp"

namespace callboard::opening {

/// An opening's state as JSON: the job and its lists, cut off as a first page is.
std::string kind::state_text(persistence::reader& from, state& s, instant at, std::int64_t version) {
  decision<kind> d{s, at, version};
  auto answered = decide(d, show_pipeline{});
  auto* shown = std::get_if<kind::result>(&answered);
  if (!shown)
    return "null";
  auto& lists = std::get<pipeline>(*shown);
  fill_names(from, lists);
  std::string out = "{";
  write_json_members(out, lists);
  if (lists.next)
    out += R"(,"truncated":true,"next_cursor":")" + cursor_text({lists.next->live, lists.next->rank}) + '"';
  return out += '}';
}

}  // namespace callboard::opening
