// Load on Callboard's work queue over HTTP, as bench/load.cpp makes it on openings; prints one JSON line.
//
//   enqueue    put jobs in
//                --jobs=10000 --batch=100 --connections=8 --first=0 --weights=1 --data=100
//   work       claim and complete, until the time is up or the queue is empty
//                --batch=1 --connections=64 --seconds=5 --warm-up=0.5
//   turns      put jobs in, then claim and complete as many; only the latter is measured
//                --cycles=20 --jobs=400 --batch=1 --connections=64 --first=0 --weights=1 --data=100
//   pickup     how long a new job takes to a waiting worker
//                --rate=1000 --seconds=5 --warm-up=0.5 --waiters=16 --wait=30 --connections=64 --data=100
//
// All take --port=8080, and --pid, the server's process, and --postgres, the postmaster: then what those used of the
// machine is told as well.
#include "bench/pickup.hpp"
#include "bench/program.hpp"
#include "bench/queue_traffic.hpp"
#include "bench/target.hpp"

#include <iostream>
#include <string>
#include <string_view>

namespace bench {
namespace {

void print(const json& line) { std::cout << line.dump() << std::endl; }

job_options options_in(options& from) {
  return {.bytes = static_cast<std::size_t>(from.integer("data", 100, 32, 100'000)),
          .weights = from.integer("weights", 1, 1, 201)};
}

void enqueue(options& from) {
  const target at{from, 8};
  const auto jobs = from.integer("jobs", 10'000, 1, 10'000'000);
  const auto batch = from.integer("batch", 100, 1, 1'000);
  enqueues all{from.integer("first", 0, 0, 1'000'000'000), jobs, batch, options_in(from)};
  from.finish();
  cpu_meter cpu{at.server, at.postmaster};
  connection_pool with{at.port, at.connections};
  const auto metrics = with.run(all, {.measured = std::chrono::duration<double>{phase_s_max},
                                      .begin = [&] { cpu.begin(); },
                                      .end = [&] { cpu.end(); }});
  all.unexpected.rethrow();
  print(job_metrics(all.done, all.done, metrics, cpu.used()));
}

void work(options& from) {
  const target at{from};
  claim_cycles all{from.integer("batch", 1, 1, 1'000)};
  const std::chrono::duration<double> measured{from.real("seconds", 5, 0.1, phase_s_max)};
  const std::chrono::duration<double> warm_up{from.real("warm-up", 0.5, 0, 60)};
  from.finish();
  cpu_meter cpu{at.server, at.postmaster};
  connection_pool with{at.port, at.connections};
  const auto metrics = with.run(all, {.warm_up = warm_up,
                                      .measured = measured,
                                      .begin = [&] { all.measure(true), cpu.begin(); },
                                      .end = [&] { all.measure(false), cpu.end(); }});
  all.unexpected.rethrow();
  print(all.metrics(metrics.seconds, cpu.used()));
}

void turns(options& from) {
  const target at{from};
  const auto cycles = from.integer("cycles", 20, 1, 100'000);
  const auto jobs = from.integer("jobs", 400, 1, 100'000);
  const auto batch = from.integer("batch", 1, 1, 1'000);
  auto first = from.integer("first", 0, 0, 1'000'000'000);
  const auto wanted = options_in(from);
  from.finish();
  if (jobs % batch != 0)
    throw std::invalid_argument("--jobs must be a multiple of --batch");
  const auto rss_before = rss_mib(at.server);
  connection_pool with{at.port, at.connections};
  claim_cycles sum{batch};
  cpu_used cpu;
  double seconds = 0;
  for (std::int64_t i = 0; i < cycles; ++i, first += jobs) {
    enqueues arrivals{first, jobs, 100, wanted};
    with.run(arrivals, {});
    arrivals.unexpected.rethrow();
    claim_cycles turn{batch, jobs};
    cpu_meter used{at.server, at.postmaster};
    turn.measure(true);
    seconds += with.run(turn, {.begin = [&] { used.begin(); }, .end = [&] { used.end(); }}).seconds;
    turn.unexpected.rethrow();
    if (turn.done_in_all != static_cast<std::uint64_t>(jobs))
      throw std::runtime_error("the queue had fewer jobs than were put in");
    sum.add(turn);
    cpu += used.used();
  }
  auto out = sum.metrics(seconds, cpu);
  out["rss_before_mib"] = rounded(rss_before);
  out["rss_after_mib"] = rounded(rss_mib(at.server));
  print(out);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
  return run_mode("queue_load", argc, argv,
                  {{"enqueue", enqueue}, {"work", work}, {"turns", turns}, {"pickup", [](options& from) {
                                                                              print(pickup{from}.run());
                                                                            }}});
}
