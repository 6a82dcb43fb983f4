#include "actors/timekeeper.hpp"

#include <algorithm>
#include <ctime>

namespace callboard::actors {

using std::chrono::nanoseconds;

nanoseconds timekeeper::boot_time() {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return std::chrono::seconds{t.tv_sec} + nanoseconds{t.tv_nsec};
}

timekeeper::timekeeper(instant start, source monotonic)
    : monotonic_{std::move(monotonic)}, offset_ns_{nanoseconds{start.time_since_epoch()}.count() -
                                                   monotonic_().count()},
      sampled_ns_{monotonic_().count()} {}

instant timekeeper::now() const {
  const nanoseconds t{monotonic_().count() + offset_ns_.load(std::memory_order_relaxed)};
  return instant{std::chrono::floor<milliseconds>(t)};
}

void timekeeper::sample(instant store_time) {
  const auto mono = monotonic_().count();
  const auto seen = nanoseconds{store_time.time_since_epoch()}.count() - mono;
  const auto believed = offset_ns_.load();
  const auto away = seen - believed;
  drift_ms_ = away / 1'000'000;
  // A thousandth of the time since the last sample: time never jumps and never goes back.
  const auto most = (mono - sampled_ns_.exchange(mono)) / 1'000;
  offset_ns_ = believed + std::clamp<std::int64_t>(away, -most, most);
}

}  // namespace callboard::actors
