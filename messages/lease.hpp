#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <string>

namespace callboard {

/// A claim with an end: who has it, until when, and a token that fences off whoever had it before.
struct lease {
  std::string owner;
  std::int64_t token = 0;
  milliseconds length{};
  instant until;

  bool holds(instant now) const { return now < until; }
  bool is(std::int64_t t) const { return t == token; }
  void renew(instant now) { until = now + length; }

  friend bool operator==(const lease&, const lease&) = default;
};

}  // namespace callboard
