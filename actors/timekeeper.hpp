#pragma once

#include "base/instant.hpp"

#include <atomic>
#include <chrono>
#include <functional>

namespace callboard::actors {

/// The time that decisions are made by: the store's clock, carried on by a clock that no one can set. A wall clock that
/// jumps changes nothing; samples of the store's clock pull gently (at most 0.1 %).
class timekeeper {
public:
  using source = std::function<std::chrono::nanoseconds()>;

  /// Counts through suspension, unlike std::chrono::steady_clock.
  static std::chrono::nanoseconds boot_time();

  explicit timekeeper(instant start, source monotonic = boot_time);

  instant now() const;

  /// What the store's clock said, a moment ago.
  void sample(instant store_time);

  /// How far the last sample was from what we believed.
  milliseconds drift() const { return milliseconds{drift_ms_.load(std::memory_order_relaxed)}; }

private:
  source monotonic_;
  std::atomic<std::int64_t> offset_ns_;  ///< store time − monotonic time
  std::atomic<std::int64_t> sampled_ns_;
  std::atomic<std::int64_t> drift_ms_{0};
};

}  // namespace callboard::actors
