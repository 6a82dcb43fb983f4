#include "http/api/operations.hpp"

#include "base/json_write.hpp"
#include "http/api/ask.hpp"
#include "http/api/service.hpp"
#include "persistence/history.hpp"

#include <chrono>
#include <string>

namespace callboard::http {
task<response> show_health(request_context&) { co_return response{200, to_json(health{"ok"})}; }

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
  out.version = CALLBOARD_VERSION;
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
