#pragma once

#include "base/sliding_histogram.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

namespace callboard::http {

/// Requests and connections of the process: permits in use, counters, and latencies of the last minute.
class request_metrics {
public:
  /// A permit for one request and its body, released when it goes out of scope.
  class permit {
  public:
    permit() = default;
    permit(permit&& other) noexcept : of_{std::exchange(other.of_, nullptr)}, bytes_{std::exchange(other.bytes_, 0)} {}
    permit& operator=(permit&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~permit() { release(); }

    explicit operator bool() const { return of_ != nullptr; }
    /// Reserves `more` bytes for the body; false when all bodies together would exceed `bytes_max`.
    bool grow(std::int64_t more, std::int64_t bytes_max);
    void release();

  private:
    friend request_metrics;
    explicit permit(request_metrics* of) : of_{of} {}
    request_metrics* of_ = nullptr;
    std::int64_t bytes_ = 0;
  };

  struct summary {
    sliding_histogram::summary last_minute;
    std::int64_t requests_in_flight = 0;
    std::int64_t body_bytes_in_flight = 0;
    std::int64_t connections_open = 0;
    std::int64_t connections_refused = 0;   ///< since the start
    std::int64_t requests_overloaded = 0;   ///< answered 503 because no permit was free, since the start
    std::array<std::int64_t, 6> answers{};  ///< by the first digit of the status, since the start
  };

  /// Empty when `requests_max` are in flight.
  permit take(std::int64_t requests_max);
  /// False, and not counted as open, when there are `connections_max` already.
  bool open_connection(std::int64_t connections_max);
  void close_connection() { --connections_; }
  std::int64_t connections() const { return connections_; }

  void answered(int status, std::chrono::steady_clock::duration took, std::chrono::steady_clock::time_point now);
  summary now() const;

private:
  std::atomic<std::int64_t> requests_{0};
  std::atomic<std::int64_t> bytes_{0};
  std::atomic<std::int64_t> connections_{0};
  std::atomic<std::int64_t> refused_{0};
  std::atomic<std::int64_t> overloaded_{0};
  std::array<std::atomic<std::int64_t>, 6> answers_{};
  sliding_histogram latency_;
};

}  // namespace callboard::http
