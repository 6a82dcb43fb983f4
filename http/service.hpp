#pragma once

#include "actors/node.hpp"
#include "config/settings.hpp"
#include "http/figures.hpp"

#include <atomic>
#include <chrono>

namespace callboard::http {

/// What all connections of a process share.
class service {
public:
  service(const config::settings& s, actors::node& n) : settings{s}, node{n} {}

  const config::settings& settings;
  actors::node& node;
  request_figures figures; ///< rates and latencies of the last minute, permits in use
  std::atomic<bool> draining{false};
  const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

} // namespace callboard::http
