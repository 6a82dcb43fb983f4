#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace callboard {

/// How often something happened in the last minute and how long it took. Any thread may record; the
/// figures are for operators, so a sample at the edge of a second may be lost instead of locked for.
class sliding_histogram {
public:
  using clock = std::chrono::steady_clock;

  struct summary {
    std::uint64_t count = 0;
    double per_second = 0;
    double p50_ms = 0;
    double p99_ms = 0;
  };

  explicit sliding_histogram(clock::time_point now = clock::now());

  void record(clock::duration took, clock::time_point now = clock::now());
  summary last_minute(clock::time_point now = clock::now()) const;

private:
  // Eight buckets per doubling: an estimate is at most 6 % off. The last one begins at 117 s.
  static constexpr std::size_t bucket_count = 200;
  // A power of two above the minute that is told about.
  static constexpr std::size_t slot_count = 64;

  struct slot {
    std::atomic<std::int64_t> second{-1};
    std::array<std::atomic<std::uint32_t>, bucket_count> buckets{};
  };

  static std::size_t bucket_of(std::uint64_t microseconds);
  static double middle_ms(std::size_t bucket);

  std::int64_t started_;
  std::array<slot, slot_count> slots_;
};

}  // namespace callboard
