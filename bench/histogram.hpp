#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>

namespace bench {

/// Durations in buckets that grow with their size: 64 to each power of two, so a quantile is right
/// to 1.6 %.
class histogram {
public:
  void add(std::chrono::nanoseconds took) {
    const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0));
    ++counts_[bucket(ns)];
    ++total_;
    max_ns_ = std::max(max_ns_, ns);
  }

  void add(const histogram& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      counts_[i] += other.counts_[i];
    total_ += other.total_;
    max_ns_ = std::max(max_ns_, other.max_ns_);
  }

  std::uint64_t count() const { return total_; }
  double max_ms() const { return static_cast<double>(max_ns_) / 1e6; }

  /// The upper edge of the bucket in which the share `q` of all durations ends; 0 when there are
  /// none.
  double quantile_ms(double q) const {
    const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(q * static_cast<double>(total_) + 0.5));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted)
        return static_cast<double>(std::min(upper_edge(i), max_ns_)) / 1e6;
    }
    return 0;
  }

private:
  static constexpr unsigned fine_bits = 6;
  static constexpr std::size_t fine = std::size_t{1} << fine_bits;

  static std::size_t bucket(std::uint64_t ns) {
    if (ns < fine)
      return static_cast<std::size_t>(ns);
    const auto power = static_cast<unsigned>(std::bit_width(ns)) - 1;
    const auto step = static_cast<std::size_t>(ns >> (power - fine_bits)) - fine;
    return (power - fine_bits + 1) * fine + step;
  }

  static std::uint64_t upper_edge(std::size_t i) {
    if (i < fine)
      return i;
    const auto power = i / fine - 1;
    return ((fine + i % fine + 1) << power) - 1;
  }

  std::array<std::uint64_t, (64 - fine_bits + 1) * fine> counts_{};
  std::uint64_t total_ = 0;
  std::uint64_t max_ns_ = 0;
};

}  // namespace bench
