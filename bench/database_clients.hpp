#pragma once

#include "bench/metrics.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace bench {

struct client_metrics {
  run_metrics steps;
  std::uint64_t done = 0;  ///< what the steps did, within the measured time
  std::uint64_t done_in_all = 0;
};

/// Clients of a database, a thread each, all at once until the time is up or nobody has anything left to do.
class database_clients {
public:
  /// One step of one client; how much it did, 0: there is nothing left for it.
  using task = std::function<std::uint64_t()>;
  /// Called on the client's own thread, before anybody begins.
  using maker = std::function<task(unsigned number)>;

  database_clients(std::int64_t clients, maker make) : clients_{clients}, make_{std::move(make)} {}

  client_metrics run(double warm_up_s, double measured_s, cpu_meter& cpu) {
    std::vector<std::thread> threads;
    for (std::int64_t i = 0; i < clients_; ++i)
      threads.emplace_back([this, i] { work(static_cast<unsigned>(i) + 1); });
    while (connected_ < clients_ && !stop_)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    go_ = true;
    pass(warm_up_s);
    cpu.begin();
    const auto began = steady::now();
    measuring_ = true;
    pass(measured_s);
    measuring_ = false;
    sum_.steps.seconds = std::chrono::duration<double>(steady::now() - began).count();
    cpu.end();
    stop_ = true;
    leave_ = true;
    for (auto& t : threads)
      t.join();
    if (!problem_.empty())
      throw std::runtime_error(problem_);
    return std::move(sum_);
  }

private:
  /// Ends early when nobody has anything left.
  void pass(double seconds) {
    const auto until =
        steady::now() + std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>{seconds});
    while (!stop_ && ended_ < clients_ && steady::now() < until)
      std::this_thread::sleep_until(std::min(until, steady::now() + std::chrono::milliseconds{1}));
  }

  void work(unsigned number) {
    client_metrics mine;
    try {
      const auto step = make_(number);
      ++connected_;
      while (!go_ && !stop_)
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
      while (!stop_) {
        const auto began = steady::now();
        const auto did = step();
        if (did == 0)
          break;
        ++mine.steps.ok_in_all;
        mine.done_in_all += did;
        if (measuring_) {
          ++mine.steps.requests;
          mine.done += did;
          mine.steps.latency.add(steady::now() - began);
        }
      }
      ++ended_;
      // What a closed connection's backend used is not known at once.
      while (!leave_)
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    } catch (const std::exception& e) {
      const std::lock_guard lock{mutex_};
      problem_ = e.what();
      stop_ = true;
    }
    const std::lock_guard lock{mutex_};
    sum_.steps.requests += mine.steps.requests;
    sum_.steps.ok += mine.steps.requests;
    sum_.steps.ok_in_all += mine.steps.ok_in_all;
    sum_.steps.latency.add(mine.steps.latency);
    sum_.done += mine.done;
    sum_.done_in_all += mine.done_in_all;
  }

  std::int64_t clients_;
  maker make_;
  std::atomic<std::int64_t> connected_ = 0;
  std::atomic<std::int64_t> ended_ = 0;
  std::atomic<bool> go_ = false;
  std::atomic<bool> measuring_ = false;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> leave_ = false;
  std::mutex mutex_;
  std::string problem_;
  client_metrics sum_;
};

}  // namespace bench
