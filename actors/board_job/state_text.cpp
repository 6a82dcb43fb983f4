#include "actors/board_job/rules.hpp"
#include "base/json_write.hpp"

namespace callboard::board_job {

namespace {
struct job_and_runs {
  board_job::job job;
  std::vector<run> runs;
  static constexpr auto fields = std::tuple{field{"job", &job_and_runs::job}, field{"runs", &job_and_runs::runs}};
};
}  // namespace

/// A board job and the runs that its state knows: the last one and those that succeeded. What agents wrote is not in
/// the journal.
std::string kind::state_text(persistence::reader&, state& s, instant, std::int64_t version) {
  if (!s.exists || s.gone)
    return "null";
  job_and_runs out{shown(s, version), {}};
  for (const auto& [id, r] : s.successes)
    out.runs.push_back(shown(s, r));
  if (s.last)
    out.runs.push_back(shown(s, *s.last));
  return to_json(out);
}

}  // namespace callboard::board_job
