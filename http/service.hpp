#pragma once

#include "actors/board_job/reads.hpp"
#include "actors/node.hpp"
#include "config/settings.hpp"
#include "http/claims_in_flight.hpp"
#include "http/figures.hpp"
#include "persistence/readers.hpp"

#include <atomic>
#include <chrono>

namespace callboard::http {

/// What all connections of a process share.
class service {
public:
  service(const config::settings& s, actors::node& n)
    : settings{s}, node{n}, known_runs{n.lookups(), board_job::known_runs} {}

  const config::settings& settings;
  actors::node& node;
  request_figures figures; ///< rates and latencies of the last minute, permits in use
  persistence::grouped<std::string, board_job::known_run> known_runs; ///< whose a run_id is
  claims_in_flight claiming;
  std::atomic<bool> draining{false};
  const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

} // namespace callboard::http
