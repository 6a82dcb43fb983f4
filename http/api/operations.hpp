#pragma once

#include "base/described.hpp"
#include "base/instant.hpp"
#include "http/transport/request_context.hpp"

#include <cstdint>
#include <string>

/// What those who run the server ask.
namespace callboard::http {

struct health {
  std::string status;
  static constexpr auto fields = std::tuple{field{"status", &health::status}};
};

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
  std::string version;
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

/// Alive: this process answers.
task<response> show_health(request_context& x);
/// Ready: the store answers and nothing is being shut down.
task<response> show_readiness(request_context& x);
task<response> show_operations(request_context& x);

}  // namespace callboard::http
