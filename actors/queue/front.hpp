#pragma once

#include "actors/front.hpp"
#include "actors/queue/payload_cache.hpp"
#include "actors/queue/reads.hpp"
#include "actors/queue/rules.hpp"
#include "persistence/readers.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace callboard::queue {

/// Before a queue decides: which of an enqueue's ids are finished jobs. After it: the payload of the jobs in an answer.
class front {
public:
  front(actors::environment& env, const settings&);
  void admit(std::shared_ptr<actors::request_to<kind>> r);

  /// Fills in what people and workers wrote about these jobs as far as it is cached; the keys of the others.
  std::vector<std::string> attach_cached(std::vector<job_view>& jobs);
  /// Fills in the others from the store. `done` is called once; false: the store did not answer.
  using jobs_sink = std::function<void(bool asked, std::vector<job_view>)>;
  void attach_stored(std::vector<job_view> jobs, const std::vector<std::string>& keys, jobs_sink done);

private:
  void check_finished(std::shared_ptr<actors::request_to<kind>> r);

  actors::environment& env_;
  payload_cache cache_;
  persistence::grouped<std::string, finished_job> finished_;
  persistence::grouped<std::string, job_payload> payloads_;
};

}  // namespace callboard::queue
