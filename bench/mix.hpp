#pragma once

#include "bench/openings.hpp"
#include "bench/target.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// The applications of one opening in which no offer decays: then the waitlist is ordered by id, and a
/// freed slot is offered to the smallest waiting one. So every request can be chosen without asking
/// the server.
class roster {
public:
  roster(std::int64_t opening, std::int64_t live, std::int64_t waiting) {
    const auto first = opening * applications_per_opening;
    for (std::int64_t n = 1; n <= live; ++n)
      live_.push_back(first + n);
    for (std::int64_t n = live + 1; n <= live + waiting; ++n)
      waiting_.push_back(first + n);
  }

  /// As an earlier run left it; false when there is no such file.
  bool load(const std::string& file) {
    std::ifstream in{file};
    std::size_t live = 0;
    std::size_t waiting = 0;
    if (!(in >> live >> waiting))
      return false;
    live_.resize(live);
    waiting_.resize(waiting);
    for (auto* list : {&live_, &waiting_})
      for (auto& id : *list)
        in >> id;
    if (!in)
      throw std::runtime_error(file + " ends too early");
    return true;
  }

  void save(const std::string& file) const {
    std::ofstream out{file};
    out << live_.size() << ' ' << waiting_.size() << '\n';
    for (const auto* list : {&live_, &waiting_})
      for (const auto id : *list)
        out << id << '\n';
  }

  std::size_t live() const { return live_.size(); }
  std::size_t waiting() const { return waiting_.size(); }

  std::vector<std::int64_t> leave_from_the_middle(std::size_t count) {
    const auto first = waiting_.begin() + static_cast<std::ptrdiff_t>((waiting_.size() - count) / 2);
    return cut(waiting_, first, count);
  }
  std::vector<std::int64_t> leave_slots(std::size_t count) { return cut(live_, live_.begin(), count); }
  std::vector<std::int64_t> promote(std::size_t count) {
    auto offered = cut(waiting_, waiting_.begin(), count);
    live_.insert(live_.end(), offered.begin(), offered.end());
    return offered;
  }
  void arrive(std::vector<std::int64_t> ids) {
    std::ranges::sort(ids);
    waiting_.insert(waiting_.end(), ids.begin(), ids.end());
  }

private:
  static std::vector<std::int64_t> cut(std::vector<std::int64_t>& from, std::vector<std::int64_t>::iterator first,
                                       std::size_t count) {
    const auto last = first + static_cast<std::ptrdiff_t>(count);
    std::vector<std::int64_t> out(first, last);
    from.erase(first, last);
    return out;
  }

  std::vector<std::int64_t> live_;
  std::vector<std::int64_t> waiting_;
};

/// One sort of operation over all its turns.
struct operation_metrics {
  run_metrics sum;
  double client_us = 0;
  double server_us = 0;
  double store_us = 0;

  void add(const run_metrics& f, const cpu_meter& cpu) {
    sum.requests += f.requests;
    sum.ok += f.ok;
    sum.ok_in_all += f.ok_in_all;
    for (const auto& [status, count] : f.other)
      sum.other[status] += count;
    sum.latency.add(f.latency);
    sum.seconds += f.seconds;
    client_us += cpu.own_us();
    server_us += cpu.server_us();
    store_us += cpu.store_us();
  }

  json shown() const {
    auto out = to_json(sum);
    const auto n = static_cast<double>(std::max<std::uint64_t>(sum.requests, 1));
    out["client_cpu_us_per_req"] = rounded(client_us / n);
    out["server_cpu_us_per_req"] = rounded(server_us / n);
    out["store_cpu_us_per_req"] = rounded(store_us / n);
    return out;
  }
};

/// Applies, withdrawals from the middle, withdrawals of slots (each promotes somebody) and
/// acknowledgments, in turns that leave the opening as long as it was.
class mix {
public:
  explicit mix(options& from)
      : at_{from}, opening_{from.integer("opening", 1, 1, INT32_MAX)}, cycles_{from.integer("cycles", 20, 1, 100'000)},
        requests_{static_cast<std::size_t>(from.integer("requests", 400, 1, 100'000))}, state_{from.text("state")},
        prefix_{from.text("prefix", "mix" + std::to_string(getpid()) + "x")},
        roster_{opening_, from.integer("live", 1'000, 1, 1'000'000), from.integer("waiting", 1'000, 1, 9'000'000)} {
    from.finish();
    if (!state_.empty())
      roster_.load(state_);
    if (roster_.live() < requests_ || roster_.waiting() < 2 * requests_)
      throw std::invalid_argument("too few applications for --requests: needs as many live and twice as many waiting");
  }

  json run() {
    connection_pool with{at_.port, at_.connections};
    const auto rss_before = rss_mib(at_.server);
    for (std::int64_t i = 0; i < cycles_; ++i) {
      // As many apply as are promoted and withdraw below.
      arrivals(with, 2 * requests_);
      send(with, withdraw_waiting, "/api/withdraw", roster_.leave_from_the_middle(requests_));
      send(with, withdraw_slot, "/api/withdraw", roster_.leave_slots(requests_));
      send(with, acknowledge, "/api/acknowledge", roster_.promote(requests_));
    }
    if (!state_.empty())
      roster_.save(state_);
    json out{{"opening", opening_}, {"waiting", roster_.waiting()}, {"connections", at_.connections}};
    for (std::size_t i = 0; i < names.size(); ++i)
      out[names[i]] = done_[i].shown();
    out["rss_before_mib"] = rounded(rss_before);
    out["rss_after_mib"] = rounded(rss_mib(at_.server));
    return out;
  }

private:
  enum operation : std::size_t { apply, withdraw_waiting, withdraw_slot, acknowledge };
  static constexpr std::array names{"apply", "withdraw_middle", "withdraw_slot", "acknowledge"};

  std::vector<std::string> measure(connection_pool& with, operation what, std::vector<std::string> requests,
                                   int expected) {
    cpu_meter cpu{at_.server, at_.postmaster};
    request_list all{std::move(requests), expected};
    const auto metrics = with.run(all, {.begin = [&] { cpu.begin(); }, .end = [&] { cpu.end(); }});
    all.check();
    done_[what].add(metrics, cpu);
    return std::move(all.bodies);
  }

  void send(connection_pool& with, operation what, std::string_view path, const std::vector<std::int64_t>& ids) {
    std::vector<std::string> requests;
    for (const auto id : ids)
      requests.push_back(http_request("POST", path, R"({"applicationId":)" + std::to_string(id) + "}"));
    measure(with, what, std::move(requests), 200);
  }

  void arrivals(connection_pool& with, std::size_t count) {
    std::vector<std::string> requests(count);
    for (auto& one : requests)
      append_apply(one, prefix_, ++people_, opening_);
    std::vector<std::int64_t> ids;
    for (const auto& body : measure(with, apply, std::move(requests), 201))
      ids.push_back(json::parse(body).at("applicationId").get<std::int64_t>());
    roster_.arrive(std::move(ids));
  }

  target at_;
  std::int64_t opening_;
  std::int64_t cycles_;
  std::size_t requests_;
  std::string state_;
  std::string prefix_;
  roster roster_;
  std::int64_t people_ = 0;
  std::array<operation_metrics, names.size()> done_;
};

}  // namespace bench
