#pragma once

#include "bench/jobs.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// The calls of /api/work as the load generator makes them, and the traffic made of them.
namespace bench {

/// What a producer puts in.
struct job_options {
  std::size_t bytes = 100;   ///< of data
  std::int64_t weights = 1;  ///< 1: all normal; else so many different ones, mixed
};

inline void append_job(std::string& out, std::int64_t number, const job_options& wanted) {
  out.append(R"({"job_type":"bench",)");
  if (wanted.weights > 1)
    out.append(R"("priority":)")
        .append(std::to_string(number * 7'919 % wanted.weights - wanted.weights / 2))
        .append(",");
  out.append(R"("data":)");
  append_data(out, number, wanted.bytes);
  out.append("}");
}

inline std::string enqueue_request(std::int64_t first, std::int64_t count, const job_options& wanted) {
  std::string body;
  if (count == 1) {
    append_job(body, first, wanted);
    return http_request("POST", "/api/work/jobs", body);
  }
  for (std::int64_t n = first; n < first + count; ++n)
    append_job(body.append(n == first ? R"({"jobs":[)" : ","), n, wanted);
  return http_request("POST", "/api/work/jobs", body.append("]}"));
}

inline std::string claim_request(std::int64_t limit, std::int64_t wait_s = 0) {
  return http_request("POST", "/api/work/claim",
                      R"({"worker_id":"bench","limit":)" + std::to_string(limit) + R"(,"lease_s":)" +
                          std::to_string(lease_s) + R"(,"wait_s":)" + std::to_string(wait_s) + "}");
}

struct claimed_job {
  std::string_view id;
  std::string_view token;
};

namespace detail {

/// Where the next member of that name has its value, behind `"name":`; npos when there is none.
inline std::size_t value_of(std::string_view in, std::string_view quoted, std::size_t from) {
  const auto at = in.find(quoted, from);
  return at == std::string_view::npos ? at : at + quoted.size();
}

inline std::string_view text_at(std::string_view in, std::size_t at) { return in.substr(at, in.find('"', at) - at); }

}  // namespace detail

/// The jobs of a claim's answer. Looks for the members by name: to parse it all would cost the machine more than the
/// claim did.
inline std::vector<claimed_job> jobs_in(std::string_view body) {
  std::vector<claimed_job> out;
  std::size_t id = 0;
  std::size_t token = 0;
  while ((id = detail::value_of(body, R"("id":")", id)) != std::string_view::npos) {
    token = detail::value_of(body, R"("lease_token":")", token);
    if (token == std::string_view::npos)
      throw std::runtime_error("a claimed job without a lease: " + std::string{body.substr(0, 300)});
    out.push_back({detail::text_at(body, id), detail::text_at(body, token)});
  }
  return out;
}

/// The numbers that the jobs carry in their data.
template <class Take>
void numbers_in(std::string_view body, Take&& take) {
  for (std::size_t at = 0; (at = detail::value_of(body, R"("n":)", at)) != std::string_view::npos;) {
    std::int64_t number = 0;
    std::from_chars(body.data() + at, body.data() + body.size(), number);
    take(number);
  }
}

inline std::string complete_request(const std::vector<claimed_job>& jobs) {
  std::string body;
  if (jobs.size() == 1) {
    body.append(R"({"lease_token":")").append(jobs[0].token).append(R"("})");
    return http_request("POST", "/api/work/jobs/" + std::string{jobs[0].id} + "/complete", body);
  }
  body.reserve(jobs.size() * 128);
  for (const auto& job : jobs)
    body.append(body.empty() ? R"({"jobs":[)" : ",")
        .append(R"({"id":")")
        .append(job.id)
        .append(R"(","lease_token":")")
        .append(job.token)
        .append(R"("})");
  return http_request("POST", "/api/work/complete", body.append("]}"));
}

/// True when all of them are complete; a batch is answered 200 with a line for each.
inline bool all_complete(int status, std::string_view body, std::size_t count) {
  if (status != 200)
    return false;
  std::size_t complete = 0;
  for (std::size_t at = 0; (at = detail::value_of(body, R"("status":"complete")", at)) != std::string_view::npos;)
    ++complete;
  return complete == count;
}

/// Keeps the first unexpected answer.
class first_unexpected {
public:
  bool check(bool fine, int status, std::string_view body) {
    if (!fine && first_.empty())
      first_ = std::to_string(status) + " " + std::string{body.substr(0, 300)};
    return fine;
  }
  /// Throws when there was one.
  void rethrow() const {
    if (!first_.empty())
      throw std::runtime_error("unexpected answer: " + first_);
  }

private:
  std::string first_;
};

/// Jobs with the numbers from `first` on, `batch` at a time, until all are in.
class enqueues : public traffic {
public:
  enqueues(std::int64_t first, std::int64_t jobs, std::int64_t batch, job_options wanted)
      : next_{first}, end_{first + jobs}, batch_{batch}, wanted_{wanted} {}

  bool next(std::string& out, std::int64_t& tag) override {
    const auto count = std::min(batch_, end_ - next_);
    if (count == 0)
      return false;
    out = enqueue_request(next_, count, wanted_);
    next_ += tag = count;
    return true;
  }
  bool answered(std::int64_t tag, int status, std::string_view body) override {
    done += status == 201 ? static_cast<std::uint64_t>(tag) : 0;
    return unexpected.check(status == 201, status, body);
  }

  std::uint64_t done = 0;
  first_unexpected unexpected;

private:
  std::int64_t next_;
  std::int64_t end_;
  std::int64_t batch_;
  job_options wanted_;
};

/// Claims and completes again and again, until the queue is empty or `most` jobs were asked for.
class claim_cycles : public traffic {
public:
  explicit claim_cycles(std::int64_t batch, std::int64_t most = INT64_MAX)
      : batch_{batch}, most_{most}, claim_{claim_request(batch)} {}

  bool next(std::string& out, std::int64_t& tag) override {
    if (!claimed_.empty()) {
      tag = claimed_.back();
      claimed_.pop_back();
      out.swap(cycles_[static_cast<std::size_t>(tag)].completion);
      return true;
    }
    if (empty_ || asked_ + batch_ > most_)
      return false;
    asked_ += batch_;
    tag = fresh_cycle();
    out = claim_;
    return true;
  }
  /// A claim on its way may still bring jobs to complete.
  bool over() const override { return free_.size() == cycles_.size(); }

  bool answered(std::int64_t tag, int status, std::string_view body) override {
    auto& c = cycles_[static_cast<std::size_t>(tag)];
    return c.jobs == 0 ? claimed(tag, c, status, body) : completed(tag, c, status, body);
  }

  void measure(bool on) { measuring_ = on; }

  /// `seconds` is that of the connections; the steps are cycles of one claim and its completion.
  json metrics(double seconds, const cpu_used& cpu) const {
    run_metrics steps;
    steps.seconds = seconds;
    steps.latency = cycle_time_;
    auto out = job_metrics(done_, done_in_all, steps, cpu);
    out["claim_p50_ms"] = rounded(claim_time_.quantile_ms(0.5));
    out["claim_p99_ms"] = rounded(claim_time_.quantile_ms(0.99));
    return out;
  }

  /// What several runs did together.
  void add(const claim_cycles& other) {
    done_ += other.done_;
    done_in_all += other.done_in_all;
    claim_time_.add(other.claim_time_);
    cycle_time_.add(other.cycle_time_);
  }

  std::uint64_t done_in_all = 0;
  first_unexpected unexpected;

private:
  struct cycle {
    steady::time_point since;
    std::size_t jobs = 0;  ///< claimed; 0 while the claim is on its way
    std::string completion;
  };

  std::int64_t fresh_cycle() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::int64_t>(cycles_.size()));
      cycles_.emplace_back();
    }
    const auto tag = free_.back();
    free_.pop_back();
    cycles_[static_cast<std::size_t>(tag)].jobs = 0;
    cycles_[static_cast<std::size_t>(tag)].since = steady::now();
    return tag;
  }

  bool claimed(std::int64_t tag, cycle& c, int status, std::string_view body) {
    const auto jobs = status == 200 ? jobs_in(body) : std::vector<claimed_job>{};
    asked_ -= batch_ - static_cast<std::int64_t>(jobs.size());
    if (jobs.empty()) {
      empty_ = true;  // also when it was refused: the run ends and tells why
      free_.push_back(tag);
      return unexpected.check(status == 200, status, body);
    }
    numbers_in(body, [&](std::int64_t n) { see(n); });
    c.jobs = jobs.size();
    c.completion = complete_request(jobs);
    claimed_.push_back(tag);
    if (measuring_)
      claim_time_.add(steady::now() - c.since);
    return true;
  }

  bool completed(std::int64_t tag, const cycle& c, int status, std::string_view body) {
    free_.push_back(tag);
    if (!unexpected.check(all_complete(status, body, c.jobs), status, body))
      return false;
    done_in_all += c.jobs;
    if (measuring_) {
      done_ += c.jobs;
      cycle_time_.add(steady::now() - c.since);
    }
    return true;
  }

  /// Throws when two claims got the same job.
  void see(std::int64_t number) {
    const auto at = static_cast<std::size_t>(number);
    if (at >= seen_.size())
      seen_.resize(std::max(at + 1, 2 * seen_.size()));
    if (seen_[at])
      throw std::runtime_error("job " + std::to_string(number) + " was claimed twice");
    seen_[at] = true;
  }

  std::int64_t batch_;
  std::int64_t most_;
  std::string claim_;
  std::int64_t asked_ = 0;
  bool empty_ = false;
  bool measuring_ = false;
  std::uint64_t done_ = 0;
  std::vector<cycle> cycles_;
  std::vector<std::int64_t> free_;     ///< cycles at rest
  std::vector<std::int64_t> claimed_;  ///< cycles whose jobs are to be completed next
  std::vector<bool> seen_;
  histogram claim_time_;
  histogram cycle_time_;
};

}  // namespace bench
