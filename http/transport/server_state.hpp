#pragma once

#include "config/settings.hpp"
#include "http/transport/metrics.hpp"

#include <atomic>
#include <chrono>
#include <functional>

namespace callboard::http {

/// What all connections of a process share on the protocol level; the API adds its own state.
struct server_state {
  explicit server_state(const config::settings& s) : settings{s} {}

  const config::settings& settings;
  request_metrics metrics;                 ///< rates and latencies of the last minute, permits in use
  std::atomic<bool> draining{false};       ///< the server is stopping: connections close after their answer
  std::function<void()> on_drain = [] {};  ///< ends waiting requests, which would outlast a stop
  const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

}  // namespace callboard::http
