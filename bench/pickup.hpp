#pragma once

#include "bench/queue_traffic.hpp"
#include "bench/target.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace bench {

/// How long a new job takes to a worker that waits for one. Jobs come one at a time at a given rate on connections of
/// their own; the workers sit in long polls, complete what they get and wait again. Producers and workers are threads
/// of this process, so one clock sees both ends.
class pickup {
public:
  explicit pickup(options& from)
      : at_{from}, waiters_{from.integer("waiters", 16, 1, 4'096)}, wait_s_{from.integer("wait", 30, 1, 30)},
        seconds_{from.real("seconds", 5, 0.1, 600)}, warm_up_s_{from.real("warm-up", 0.5, 0, 60)},
        rate_{from.real("rate", 1'000, 1, 100'000)}, wanted_{.bytes = static_cast<std::size_t>(
                                                                 from.integer("data", 100, 32, 100'000))},
        times_(static_cast<std::size_t>(rate_ * (seconds_ + warm_up_s_)) + 1'000) {
    from.finish();
  }

  json run() {
    worker workers{*this};
    auto ended = std::async(std::launch::async, [&] {
      connection_pool with{at_.port, static_cast<int>(waiters_)};
      with.run(workers, {.measured = std::chrono::duration<double>{warm_up_s_ + seconds_ + 2 * patience_s}});
    });
    connection_pool with{at_.port, at_.connections};
    await("the workers wait", [&] { return waiting_ == waiters_; });
    cpu_meter cpu{at_.server, at_.postmaster};
    producer producers{*this};
    const auto metrics = with.run(producers, {.warm_up = std::chrono::duration<double>{warm_up_s_},
                                              .measured = std::chrono::duration<double>{seconds_},
                                              .per_second = rate_,
                                              .begin = [&] { from_ = sent_, cpu.begin(); },
                                              .end = [&] { until_ = sent_, cpu.end(); }});
    await("all jobs are complete", [&] { return completed_ == sent_; });
    // A last job for each worker ends its long poll, which would last half a minute otherwise.
    for (std::int64_t i = 0; i < waiters_; ++i)
      ask_all(with, {enqueue_request(last_job, 1, wanted_)}, 201);
    ended.get();
    producers.unexpected.rethrow();
    workers.unexpected.rethrow();
    return told(metrics, cpu);
  }

private:
  static constexpr double patience_s = 30;
  static constexpr std::int64_t last_job = 1'000'000'000;

  struct times {
    steady::time_point sent;
    steady::time_point stored;  ///< the enqueue was answered
    steady::time_point asked;   ///< the claim was sent
    steady::time_point picked;  ///< the claim was answered
  };

  class producer : public traffic {
  public:
    explicit producer(pickup& of) : of_{of} {}
    bool next(std::string& out, std::int64_t& tag) override {
      if (static_cast<std::size_t>(of_.sent_) == of_.times_.size())
        return false;
      tag = of_.sent_++;
      out = enqueue_request(tag, 1, of_.wanted_);
      of_.times_of(tag).sent = steady::now();
      return true;
    }
    bool answered(std::int64_t tag, int status, std::string_view body) override {
      of_.times_of(tag).stored = steady::now();
      return unexpected.check(status == 201, status, body);
    }
    first_unexpected unexpected;

  private:
    pickup& of_;
  };

  class worker : public traffic {
  public:
    explicit worker(pickup& of) : of_{of}, claim_{claim_request(1, of.wait_s_)} {}
    bool next(std::string& out, std::int64_t& tag) override {
      if (leaving_ > 0)
        return false;
      if (!completion_.empty()) {
        tag = complete;
        out.swap(completion_);
        completion_.clear();
        return true;
      }
      tag = fresh_claim();
      out = claim_;
      ++of_.waiting_;
      return true;
    }
    bool over() const override { return leaving_ == of_.waiters_; }
    bool answered(std::int64_t tag, int status, std::string_view body) override {
      return tag == complete ? completed(status, body) : claimed(tag, status, body);
    }
    first_unexpected unexpected;

  private:
    static constexpr std::int64_t complete = -1;  ///< as a tag; others are indexes in `asked_`

    std::int64_t fresh_claim() {
      if (free_.empty()) {
        free_.push_back(static_cast<std::int64_t>(asked_.size()));
        asked_.emplace_back();
      }
      const auto tag = free_.back();
      free_.pop_back();
      asked_[static_cast<std::size_t>(tag)] = steady::now();
      return tag;
    }

    bool claimed(std::int64_t tag, int status, std::string_view body) {
      const auto now = steady::now();
      const auto asked = asked_[static_cast<std::size_t>(tag)];
      free_.push_back(tag);
      --of_.waiting_;
      const auto jobs = status == 200 ? jobs_in(body) : std::vector<claimed_job>{};
      if (!unexpected.check(status == 200, status, body) || jobs.empty())
        return false;
      numbers_in(body, [&](std::int64_t n) {
        if (n == last_job)
          ++leaving_;
        else
          of_.times_of(n).asked = asked, of_.times_of(n).picked = now;
      });
      // Sent next, on the same connection. A worker that ends does not complete its last job.
      if (leaving_ == 0)
        completion_ = complete_request(jobs);
      return true;
    }
    bool completed(int status, std::string_view body) {
      ++of_.completed_;
      return unexpected.check(all_complete(status, body, 1), status, body);
    }

    pickup& of_;
    std::string claim_;
    std::string completion_;
    std::vector<steady::time_point> asked_;
    std::vector<std::int64_t> free_;
    std::int64_t leaving_ = 0;
  };

  times& times_of(std::int64_t n) { return times_.at(static_cast<std::size_t>(n)); }

  template <class Condition>
  static void await(const char* what, Condition&& holds) {
    const auto until = steady::now() + std::chrono::duration<double>{patience_s};
    while (!holds()) {
      if (steady::now() > until)
        throw std::runtime_error(std::string{"in vain: "} + what);
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
  }

  /// null, not 0, when there are no durations.
  static json quantile(const histogram& of, double q) {
    return of.count() == 0 ? json{} : json(rounded(of.quantile_ms(q)));
  }

  json told(const run_metrics& producing, const cpu_meter& cpu) {
    histogram since_sent;
    histogram of_waiting;    // those that met a worker who waited already
    histogram since_stored;  // 0 when the claim was answered first
    std::uint64_t lost = 0;
    for (auto n = from_; n < until_; ++n) {
      const auto& t = times_of(n);
      if (t.picked == steady::time_point{}) {
        ++lost;
        continue;
      }
      since_sent.add(t.picked - t.sent);
      if (t.asked < t.sent)
        of_waiting.add(t.picked - t.sent);
      since_stored.add(t.picked - t.stored);
    }
    const auto jobs = static_cast<std::uint64_t>(until_ - from_);
    json out{{"rate", rounded(rate_)},
             {"jobs", jobs},
             {"jobs_per_s", rounded(static_cast<double>(jobs) / producing.seconds)},
             {"waiters", waiters_},
             {"met", of_waiting.count()},
             {"lost", lost},
             {"p50_ms", rounded(since_sent.quantile_ms(0.5))},
             {"p99_ms", rounded(since_sent.quantile_ms(0.99))},
             {"max_ms", rounded(since_sent.max_ms())},
             {"met_p50_ms", quantile(of_waiting, 0.5)},
             {"met_p99_ms", quantile(of_waiting, 0.99)},
             {"stored_p50_ms", rounded(since_stored.quantile_ms(0.5))},
             {"stored_p99_ms", rounded(since_stored.quantile_ms(0.99))}};
    out.update(per_request(cpu, jobs));
    out["enqueue"] = to_json(producing);
    return out;
  }

  target at_;
  std::int64_t waiters_;
  std::int64_t wait_s_;
  double seconds_;
  double warm_up_s_;
  double rate_;
  job_options wanted_;
  std::vector<times> times_;  ///< by the job's number; producer and worker write different members
  std::int64_t sent_ = 0;
  std::int64_t from_ = 0;
  std::int64_t until_ = 0;
  std::atomic<std::int64_t> waiting_ = 0;
  std::atomic<std::int64_t> completed_ = 0;
};

}  // namespace bench
