#include "http/api/operations.hpp"

#include "base/json_write.hpp"
#include "http/api/ask.hpp"
#include "http/api/service.hpp"
#include "persistence/history.hpp"

#include <chrono>
#include <string>

namespace callboard::http {
namespace {

constexpr std::string_view server_version = CALLBOARD_VERSION;

struct readiness {
  std::string status;
  std::string store;
  std::string durability;
  static constexpr auto fields = std::tuple{field{"status", &readiness::status}, field{"store", &readiness::store},
                                            field{"durability", &readiness::durability}};
};

struct store_metrics {
  std::string name;
  std::string durability;
  bool reachable = false;
  static constexpr auto fields =
      std::tuple{field{"name", &store_metrics::name}, field{"durability", &store_metrics::durability},
                 field{"reachable", &store_metrics::reachable}};
};

/// How often something was done in the last minute, and how long it took.
struct pace {
  double per_second = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  static constexpr auto fields =
      std::tuple{field{"perSecond", &pace::per_second}, field{"p50Ms", &pace::p50_ms}, field{"p99Ms", &pace::p99_ms}};
};

struct permits {
  std::int64_t requests = 0;
  std::int64_t requests_max = 0;
  std::int64_t body_bytes = 0;
  std::int64_t body_bytes_max = 0;
  std::int64_t connections = 0;
  std::int64_t connections_max = 0;
  std::int64_t overloaded = 0;
  static constexpr auto fields =
      std::tuple{field{"requests", &permits::requests},       field{"requestsMax", &permits::requests_max},
                 field{"bodyBytes", &permits::body_bytes},    field{"bodyBytesMax", &permits::body_bytes_max},
                 field{"connections", &permits::connections}, field{"connectionsMax", &permits::connections_max},
                 field{"overloaded", &permits::overloaded}};
};

struct journal_metrics {
  std::int64_t commits = 0;
  std::int64_t events = 0;
  std::int64_t fenced = 0;
  std::int64_t poisoned = 0;
  static constexpr auto fields =
      std::tuple{field{"commits", &journal_metrics::commits}, field{"events", &journal_metrics::events},
                 field{"fenced", &journal_metrics::fenced}, field{"poisoned", &journal_metrics::poisoned}};
};

struct timer_metrics {
  std::int64_t waiting = 0;
  std::int64_t overdue = 0;
  static constexpr auto fields =
      std::tuple{field{"waiting", &timer_metrics::waiting}, field{"overdue", &timer_metrics::overdue}};
};

struct operations {
  std::string version{server_version};
  std::string node;
  instant now;
  std::int64_t uptime_s = 0;
  bool draining = false;
  store_metrics store;
  pace requests;
  http::permits permits;
  pace commits;
  journal_metrics journal;
  std::int64_t residents = 0;
  timer_metrics timers;
  std::int64_t streams = 0;
  static constexpr auto fields = std::tuple{field{"version", &operations::version},
                                            field{"node", &operations::node},
                                            field{"now", &operations::now},
                                            field{"uptimeSeconds", &operations::uptime_s},
                                            field{"draining", &operations::draining},
                                            field{"store", &operations::store},
                                            field{"requests", &operations::requests},
                                            field{"permits", &operations::permits},
                                            field{"commits", &operations::commits},
                                            field{"journal", &operations::journal},
                                            field{"residents", &operations::residents},
                                            field{"timers", &operations::timers},
                                            field{"streams", &operations::streams}};
};

}  // namespace

task<response> show_health(request_context&) { co_return response{200, R"({"status":"ok"})"}; }

task<response> show_readiness(request_context& x) {
  const auto& store = x.app.node.store();
  bool is_ready = !x.app.draining && x.app.node.metrics().store_reachable;
  if (is_ready) {
    // A look-up that finds nothing, but has to look.
    const auto question = [](persistence::reader& from) { return persistence::find_head(from, {}, {}); };
    try {
      co_await read(x, question);
    } catch (const refused&) {
      is_ready = false;
    }
  }
  const readiness seen{is_ready ? "ready" : "unavailable", std::string{store.name()}, std::string{store.durability()}};
  response r{is_ready ? 200 : 503, to_json(seen)};
  if (!is_ready)
    r.headers.emplace_back("Retry-After", "1");
  co_return r;
}

task<response> show_operations(request_context& x) {
  const auto& settings = x.app.settings;
  const auto& store = x.app.node.store();
  const auto seen = x.app.node.metrics();
  const auto calls = x.app.metrics.now();
  operations out;
  out.node = settings.node_name;
  out.now = x.app.node.now();
  out.uptime_s = std::chrono::floor<seconds>(std::chrono::steady_clock::now() - x.app.started).count();
  out.draining = x.app.draining;
  out.store = {std::string{store.name()}, std::string{store.durability()}, seen.store_reachable};
  out.requests = {calls.last_minute.per_second, calls.last_minute.p50_ms, calls.last_minute.p99_ms};
  out.permits = {calls.requests_in_flight,   settings.http_requests_max,
                 calls.body_bytes_in_flight, std::int64_t{settings.http_bodies_max_mib} << 20,
                 calls.connections_open,     settings.http_connections_max,
                 calls.requests_overloaded};
  out.commits = {seen.commits_per_s, seen.commit_p50_ms, seen.commit_p99_ms};
  out.journal = {seen.commits, seen.events, seen.fenced, seen.poisoned};
  out.residents = seen.residents;
  out.timers = {seen.timers_waiting, seen.timers_overdue};
  co_return response{200, to_json(out)};
}

}  // namespace callboard::http
