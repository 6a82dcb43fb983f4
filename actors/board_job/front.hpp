#pragma once

#include "actors/board_job/claims_in_flight.hpp"
#include "actors/board_job/rules.hpp"
#include "actors/front.hpp"
#include "persistence/readers.hpp"

#include <functional>
#include <memory>
#include <string>

namespace callboard::board_job {

/// Before a job decides: what is known of a run id, which job a report belongs to, and which job a claim_next gets.
class front {
public:
  using request = std::shared_ptr<actors::request_to<kind>>;

  front(actors::environment& env, const no_settings&);
  void admit(request r);

private:
  class search;
  using known_sink = std::function<void(const known_run*)>;

  void look_up(request r);
  void find_job(request r);
  /// Calls `then` with what is known of the run id, or answers the request when the store does not say.
  void find_known(request r, const std::string& run_id, known_sink then);

  actors::environment& env_;
  persistence::grouped<std::string, known_run> known_runs_;
  claims_in_flight claiming_;
};

}  // namespace callboard::board_job
