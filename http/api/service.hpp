#pragma once

#include "actors/board_job/reads.hpp"
#include "actors/node.hpp"
#include "config/settings.hpp"
#include "http/api/board/claims_in_flight.hpp"
#include "http/api/queue/lookups.hpp"
#include "http/transport/server_state.hpp"
#include "messages/queue.hpp"
#include "persistence/readers.hpp"

#include <atomic>
#include <chrono>
#include <memory>

namespace callboard::http {

/// What all connections of a process share.
class service : public server_state {
public:
  service(const config::settings& s, actors::node& n);

  actors::node& node;
  queue_lookups work;
  const std::shared_ptr<const queue::backoff_bases> backoff;           ///< of jobs that failed
  persistence::grouped<std::string, board_job::known_run> known_runs;  ///< whose a run_id is
  claims_in_flight claiming;
};

}  // namespace callboard::http
