#pragma once

#include "base/described.hpp"
#include "base/named.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// What the commands, events and views of work queues have in common.
namespace callboard::queue {

enum class status : std::uint8_t { pending, scheduled, processing, complete, failed, cancelled };
constexpr std::array<std::string_view, 6> names_of(status) {
  return {"pending", "scheduled", "processing", "complete", "failed", "cancelled"};
}

inline constexpr std::string_view default_queue = "default";
inline constexpr std::int64_t weight_max = 100;
inline constexpr integer_range attempts_bounds{1, 100};
inline constexpr std::size_t batch_max = 1'000;

/// At most so many jobs of one key at a time; the key is a member of a job's data, as in `data.user_id`.
struct key_limit {
  std::string key;
  std::int64_t max_in_flight = 1;
  friend bool operator==(const key_limit&, const key_limit&) = default;
  static constexpr auto fields =
      std::tuple{field{"key", &key_limit::key, text{1, 200}},
                 field{"max_in_flight", &key_limit::max_in_flight, integer_range{1, 1'000'000}}};
};

/// What a bulk command did in all queues together.
struct cancel_total {
  std::int64_t cancelled = 0;
  std::int64_t flagged = 0;
  static constexpr auto fields =
      std::tuple{field{"cancelled", &cancel_total::cancelled}, field{"flagged", &cancel_total::flagged}};
};
struct redrive_total {
  std::int64_t redriven = 0;
  static constexpr auto fields = std::tuple{field{"redriven", &redrive_total::redriven}};
};

}  // namespace callboard::queue
