#pragma once

#include "base/instant.hpp"
#include "bench/openings.hpp"
#include "bench/target.hpp"

#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace bench {

/// How late offers decay while other traffic runs. Nobody acknowledges in these openings, so each
/// offer decays when its time is up and the next in line gets one, again and again.
class deadlines {
public:
  explicit deadlines(options& from)
      : at_{from}, count_{from.integer("openings", 200, 1, 10'000)}, slots_{from.integer("slots", 2, 1, 100)},
        window_s_{from.integer("window", 1, 1, 60)}, seconds_{from.real("seconds", 5, 0.5, 600)},
        rate_{from.real("rate", 1'000, 1, 1'000'000)}, busy_count_{from.integer("busy-openings", 200, 1, 10'000)} {
    from.finish();
  }

  json run() {
    connection_pool with{at_.port, at_.connections};
    const auto busy = create_openings(with, busy_count_, {});
    const auto timed = create_openings(with, count_, {slots_, window_s_, true, window_s_});
    fill(with, timed);
    // Rules look at the time before every read as well, so nothing may ask these openings until the
    // traffic has ended.
    cpu_meter cpu{at_.server, at_.postmaster};
    applies others{busy, "other"};
    const auto began = std::chrono::system_clock::now();
    const auto metrics = with.run(others, {.warm_up = std::chrono::seconds{0},
                                           .measured = std::chrono::duration<double>{seconds_},
                                           .per_second = rate_,
                                           .begin = [&] { cpu.begin(); },
                                           .end = [&] { cpu.end(); }});
    const auto ended = std::chrono::system_clock::now();
    close(with, timed);
    collect(with, timed, std::chrono::floor<callboard::milliseconds>(began),
            std::chrono::floor<callboard::milliseconds>(ended));
    if (lateness_.count() == 0)
      throw std::runtime_error("no deadline fell due: --seconds must be longer than --window");
    json out{{"deadlines", lateness_.count()},
             {"early", early_},
             {"unmatched", unmatched_},
             {"late_p50_ms", rounded(lateness_.quantile_ms(0.5))},
             {"late_p99_ms", rounded(lateness_.quantile_ms(0.99))},
             {"late_max_ms", rounded(lateness_.max_ms())},
             {"rate", rate_},
             {"traffic", to_json(metrics)}};
    out["traffic"].update(per_request(cpu, metrics.requests));
    return out;
  }

private:
  /// Twice as many people as slots: somebody always waits for the next offer.
  void fill(connection_pool& with, const std::vector<std::int64_t>& timed) {
    std::vector<std::string> requests;
    std::int64_t person = 0;
    for (std::int64_t i = 0; i < 2 * slots_; ++i)
      for (const auto opening : timed)
        append_apply(requests.emplace_back(), "timed", ++person, opening);
    for (const auto& body : ask_all(with, std::move(requests), 201)) {
      const auto result = json::parse(body);
      if (!result.at("acknowledgeDeadline").is_null())
        offered_[result.at("applicationId").get<std::int64_t>()] = time_of(result.at("acknowledgeDeadline"));
    }
  }

  /// A closed opening promotes nobody, so the last offers decay and it is quiet.
  void close(connection_pool& with, const std::vector<std::int64_t>& timed) {
    std::vector<std::string> requests;
    for (const auto opening : timed)
      requests.push_back(http_request("PATCH", "/api/jobs/" + std::to_string(opening), R"({"status":"closed"})"));
    ask_all(with, std::move(requests), 200);
    std::this_thread::sleep_for(std::chrono::seconds{window_s_ + 1});
  }

  void collect(connection_pool& with, const std::vector<std::int64_t>& timed, callboard::instant from,
               callboard::instant until) {
    std::vector<std::string> requests;
    for (const auto opening : timed)
      requests.push_back(http_request("GET", "/api/pipeline/" + std::to_string(opening) + "/replay"));
    for (const auto& body : ask_all(with, std::move(requests), 200)) {
      const auto replay = json::parse(body);
      if (replay.value("truncated", false))
        throw std::runtime_error("too many events for one page: fewer --slots or --seconds");
      auto open = offered_;  // by application: when its current offer ends
      for (const auto& event : replay.at("events"))
        take(event, open, from, until);
    }
  }

  void take(const json& event, std::map<std::int64_t, callboard::instant>& open, callboard::instant from,
            callboard::instant until) {
    const auto application = event.at("applicationId").get<std::int64_t>();
    const auto& type = event.at("eventType").get_ref<const std::string&>();
    if (type == "PROMOTED") {
      open[application] = time_of(event.at("metadata").at("acknowledgeDeadline"));
    } else if (type == "DECAY_TRIGGERED") {
      const auto it = open.find(application);
      if (it == open.end()) {
        ++unmatched_;
        return;
      }
      const auto due = it->second;
      open.erase(it);
      const auto late = time_of(event.at("createdAt")) - due;
      early_ += late.count() < 0 ? 1 : 0;
      // Deadlines before or after the load are not counted.
      if (due >= from && due < until)
        lateness_.add(late);
    }
  }

  static callboard::instant time_of(const json& text) {
    const auto t = callboard::from_rfc3339(text.get_ref<const std::string&>());
    if (!t)
      throw std::runtime_error("unreadable time " + text.dump());
    return *t;
  }

  target at_;
  std::int64_t count_;
  std::int64_t slots_;
  std::int64_t window_s_;
  double seconds_;
  double rate_;
  std::int64_t busy_count_;
  std::map<std::int64_t, callboard::instant> offered_;
  histogram lateness_;
  std::uint64_t early_ = 0;
  std::uint64_t unmatched_ = 0;
};

}  // namespace bench
