#include "base/sliding_histogram.hpp"

#include <algorithm>
#include <bit>

namespace callboard {

namespace {

std::int64_t second_of(sliding_histogram::clock::time_point t) {
  return std::chrono::floor<std::chrono::seconds>(t.time_since_epoch()).count();
}

}  // namespace

sliding_histogram::sliding_histogram(clock::time_point now) : started_{second_of(now)} {}

std::size_t sliding_histogram::bucket_of(std::uint64_t microseconds) {
  if (microseconds < 8)
    return static_cast<std::size_t>(microseconds);
  const auto octave = static_cast<std::size_t>(std::bit_width(microseconds)) - 1;
  const auto eighth = static_cast<std::size_t>(microseconds >> (octave - 3)) & 7;
  return std::min((octave - 2) * 8 + eighth, bucket_count - 1);
}

double sliding_histogram::middle_ms(std::size_t bucket) {
  if (bucket < 8)
    return static_cast<double>(bucket) / 1000;
  const auto width = static_cast<double>(std::uint64_t{1} << (bucket / 8 - 1));
  return width * (static_cast<double>(8 + bucket % 8) + 0.5) / 1000;
}

void sliding_histogram::record(clock::duration took, clock::time_point now) {
  const auto second = second_of(now);
  auto& at = slots_[static_cast<std::size_t>(second) % slot_count];
  auto seen = at.second.load(std::memory_order_relaxed);
  if (seen < second && at.second.compare_exchange_strong(seen, second, std::memory_order_relaxed))
    for (auto& bucket : at.buckets)
      bucket.store(0, std::memory_order_relaxed);
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  at.buckets[bucket_of(static_cast<std::uint64_t>(std::max<std::int64_t>(us, 0)))].fetch_add(1,
                                                                                             std::memory_order_relaxed);
}

sliding_histogram::summary sliding_histogram::last_minute(clock::time_point now) const {
  const auto second = second_of(now);
  std::array<std::uint64_t, bucket_count> sums{};
  summary out;
  for (const auto& s : slots_) {
    const auto at = s.second.load(std::memory_order_relaxed);
    if (at <= second - 60 || at > second)
      continue;
    for (std::size_t i = 0; i < bucket_count; ++i)
      sums[i] += s.buckets[i].load(std::memory_order_relaxed);
  }
  for (const auto n : sums)
    out.count += n;
  const auto quantile = [&](std::uint64_t percent) {
    // The smallest bucket that `percent` of all samples do not exceed.
    const auto wanted = (out.count * percent + 99) / 100;
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < bucket_count; ++i)
      if ((below += sums[i]) >= wanted)
        return middle_ms(i);
    return 0.0;
  };
  if (out.count == 0)
    return out;
  out.per_second =
      static_cast<double>(out.count) / static_cast<double>(std::clamp<std::int64_t>(second - started_, 1, 60));
  out.p50_ms = quantile(50);
  out.p99_ms = quantile(99);
  return out;
}

}  // namespace callboard
