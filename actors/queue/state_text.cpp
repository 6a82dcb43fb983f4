#include "actors/queue/rules.hpp"
#include "base/json_write.hpp"

namespace callboard::queue {

namespace {
struct stats_and_jobs {
  queue::stats stats;
  std::vector<job_view> jobs;
  bool truncated = false;
  static constexpr auto fields =
      std::tuple{field{"stats", &stats_and_jobs::stats}, field{"jobs", &stats_and_jobs::jobs},
                 field{"truncated", &stats_and_jobs::truncated}};
};
constexpr std::size_t jobs_max = 10'000;
}  // namespace

/// The queue's figures and the jobs that are not over.
std::string kind::state_text(persistence::reader&, state& s, instant at, std::int64_t) {
  stats_and_jobs out{stats_of(s, at), {}, s.by_id.size() > jobs_max};
  for (const auto& j : *s.slots) {
    if (out.jobs.size() == jobs_max)
      break;
    if (j.type)
      out.jobs.push_back(view_of(s, j));
  }
  return to_json(out);
}

}  // namespace callboard::queue
