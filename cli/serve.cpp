#include "actors/kinds.hpp"
#include "actors/node.hpp"
#include "base/log.hpp"
#include "cli/commands.hpp"
#include "http/api/routes.hpp"
#include "http/api/service.hpp"
#include "http/transport/server.hpp"
#include "persistence/store.hpp"

#include <pthread.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

namespace callboard::cli {
namespace {

std::shared_ptr<const actors::kind_settings> kind_settings_of(const config::settings& s) {
  auto out = std::make_shared<actors::kind_settings>();
  auto& queues = out->of<queue::kind>();
  queues.finished_kept = std::chrono::seconds{s.work_retention_s};
  queues.backoff.usual_ms = s.work_backoff_ms;
  // `type=ms` each; their form was checked where they were read.
  for (const auto& text : s.work_backoff_by_type) {
    const auto cut = text.rfind('=');
    queues.backoff.by_type_ms[text.substr(0, cut)] = std::atoll(text.c_str() + cut + 1);
  }
  return out;
}

actors::node_options options_of(const config::settings& s) {
  actors::node_options o;
  o.name = s.node_name;
  o.worker_threads = s.actors_threads;
  o.reader_threads = s.readers_threads;
  o.residents_max = s.actors_residents_max;
  o.state_bytes_max = std::int64_t{s.actors_state_max_mib} << 20;
  o.idle = milliseconds{s.actors_idle_ms};
  o.entity_requests_max = s.http_entity_requests_max;
  o.batch_events_max = static_cast<std::size_t>(s.writer_batch_events_max);
  o.batch_bytes_max = static_cast<std::size_t>(s.writer_batch_bytes_max_kib) << 10;
  o.patience = milliseconds{s.writer_patience_ms};
  o.request_retention = std::chrono::hours{s.requests_retention_h};
  o.kinds = kind_settings_of(s);
  return o;
}

std::string shown_address(const config::settings& s, std::uint16_t port) {
  const bool v6 = s.http_address.find(':') != std::string::npos;
  return "http://" + (v6 ? '[' + s.http_address + ']' : s.http_address) + ':' + std::to_string(port);
}

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

int serve(const config::settings& s, const operands&) {
  // Before any thread exists, so that all of them leave the signals to us.
  const auto signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  auto node = std::make_unique<actors::node>(options_of(s), persistence::make_store(s.store));
  http::service service{s, *node};
  http::server server{service, http::routes()};
  const auto address = shown_address(s, server.port());
  std::cout << "Callboard " << CALLBOARD_VERSION << " listens on " << address
            << " (store: " << config::without_password(s.store) << ")\nTry: curl -s " << address
            << "/api/jobs -H 'Content-Type: application/json' -d '"
            << R"({"title":"Stage manager","capacity":1})"
            << "'\n"
            << std::flush;

  int signal = 0;
  sigwait(&signals, &signal);
  log_line(log_level::info, "stopping", {});
  // A second signal means at once: what was answered is stored, so that is safe too.
  std::thread{[signals] {
    int again = 0;
    sigwait(&signals, &again);
    std::_Exit(exit_code::ok);
  }}.detach();
  server.stop();
  node->stop();
  node.reset();  // before the server: answers may still be on their way to its io threads
  return exit_code::ok;
}

}  // namespace callboard::cli
