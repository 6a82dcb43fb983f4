#pragma once

#include "bench/metrics.hpp"

#include <cstdint>
#include <string>

/// What every measurement of a work queue shares, with HTTP or without.
namespace bench {

/// Longer than any measurement: no lease ends in one.
inline constexpr std::int64_t lease_s = 3'600;
/// Filling and working end after this, whatever happens.
inline constexpr double phase_s_max = 3'600;

/// A job's data: its number, and as many letters as make it `bytes` long.
inline void append_data(std::string& out, std::int64_t number, std::size_t bytes) {
  const auto begin = out.size();
  out.append(R"({"n":)").append(std::to_string(number)).append(R"(,"text":")");
  constexpr std::size_t end = 2;
  const auto used = out.size() - begin + end;
  out.append(bytes > used ? bytes - used : 0, 'x').append(R"("})");
}

/// `steps` is a claim and its completion, or an enqueue.
inline json job_metrics(std::uint64_t jobs, std::uint64_t jobs_in_all, const run_metrics& steps, const cpu_used& cpu) {
  const auto n = static_cast<double>(std::max<std::uint64_t>(jobs, 1));
  return {{"jobs", jobs},
          {"jobs_in_all", jobs_in_all},
          {"seconds", rounded(steps.seconds)},
          {"jobs_per_s", rounded(steps.seconds > 0 ? static_cast<double>(jobs) / steps.seconds : 0)},
          {"p50_ms", rounded(steps.latency.quantile_ms(0.5))},
          {"p99_ms", rounded(steps.latency.quantile_ms(0.99))},
          {"max_ms", rounded(steps.latency.max_ms())},
          {"client_cpu_us_per_job", rounded(cpu.own_us / n)},
          {"server_cpu_us_per_job", rounded(cpu.server_us / n)},
          {"store_cpu_us_per_job", rounded(cpu.store_us / n)}};
}

}  // namespace bench
