#pragma once

#include "bench/connections.hpp"
#include "bench/usage.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>

namespace bench {

using json = nlohmann::ordered_json;

/// Milliseconds since 1970.
inline std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Three digits behind the point are more than any of these metrics is worth.
inline double rounded(double x) { return std::round(x * 1'000) / 1'000; }

inline json per_request(const cpu_meter& cpu, std::uint64_t requests) {
  const auto n = static_cast<double>(std::max<std::uint64_t>(requests, 1));
  return {{"client_cpu_us_per_req", rounded(cpu.own_us() / n)},
          {"server_cpu_us_per_req", rounded(cpu.server_us() / n)},
          {"store_cpu_us_per_req", rounded(cpu.store_us() / n)}};
}

inline json to_json(const run_metrics& f) {
  json errors = json::object();
  for (const auto& [status, count] : f.other)
    errors[std::to_string(status)] = count;
  return {{"requests", f.requests},
          {"ok", f.ok},
          {"ok_in_all", f.ok_in_all},
          {"errors", errors},
          {"seconds", rounded(f.seconds)},
          {"rps", rounded(f.seconds > 0 ? static_cast<double>(f.requests) / f.seconds : 0)},
          {"p50_ms", rounded(f.latency.quantile_ms(0.5))},
          {"p99_ms", rounded(f.latency.quantile_ms(0.99))},
          {"max_ms", rounded(f.latency.max_ms())}};
}

}  // namespace bench
