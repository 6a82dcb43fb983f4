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

  /// Fills in what people and workers wrote about these jobs. `done` is called once, perhaps before this returns;
  /// false: the store did not answer.
  using jobs_sink = std::function<void(bool asked, std::vector<job_view>)>;
  void attach_payloads(std::vector<job_view> jobs, jobs_sink done);

private:
  void check_finished(std::shared_ptr<actors::request_to<kind>> r);

  actors::environment& env_;
  payload_cache cache_;
  persistence::grouped<std::string, finished_job> finished_;
  persistence::grouped<std::string, job_payload> payloads_;
};

}  // namespace callboard::queue
