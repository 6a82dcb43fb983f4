#pragma once

#include "actors/board_job/reads.hpp"
#include "actors/node.hpp"
#include "config/settings.hpp"
#include "http/claims_in_flight.hpp"
#include "http/figures.hpp"
#include "http/work_lookups.hpp"
#include "messages/queue.hpp"
#include "persistence/readers.hpp"

#include <atomic>
#include <chrono>
#include <memory>

namespace callboard::http {

/// What all connections of a process share.
class service {
public:
  service(const config::settings& s, actors::node& n);

  const config::settings& settings;
  actors::node& node;
  work_lookups work;
  const std::shared_ptr<const queue::backoff_bases> backoff; ///< of jobs that failed
  request_figures figures; ///< rates and latencies of the last minute, permits in use
  persistence::grouped<std::string, board_job::known_run> known_runs; ///< whose a run_id is
  claims_in_flight claiming;
  std::atomic<bool> draining{false};
  const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

} // namespace callboard::http
