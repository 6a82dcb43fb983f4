#include "actors/node.hpp"
#include "actors/verify.hpp"
#include "base/log.hpp"
#include "config/exit_codes.hpp"
#include "config/settings.hpp"
#include "http/api/routes.hpp"
#include "http/api/service.hpp"
#include "http/transport/server.hpp"
#include "persistence/store.hpp"

#include <pthread.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace callboard {
namespace {

constexpr std::string_view version = CALLBOARD_VERSION;

constexpr std::string_view usage = R"(Callboard decides who gets what when many race for it.

usage: callboard <command> [options]

commands:
  serve     run the server (the default)
  migrate   bring the store's schema up to date and end
  verify    fold the journal, compare it with the rows, check the hash chain; exit 1 when something differs
  version   print the version

callboard serve --help lists every option.
)";

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
  o.finished_retention = std::chrono::seconds{s.work_retention_s};
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

int serve(const config::settings& s) {
  // Before any thread exists, so that all of them leave the signals to us.
  const auto signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  auto node = std::make_unique<actors::node>(options_of(s), persistence::make_store(s.store));
  http::service service{s, *node};
  http::server server{service, http::routes()};
  const auto address = shown_address(s, server.port());
  std::cout << "Callboard " << version << " listens on " << address << " (store: " << config::without_password(s.store)
            << ")\nTry: curl -s " << address << "/api/jobs -H 'Content-Type: application/json' -d '"
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

int migrate(const config::settings& s) {
  persistence::make_store(s.store)->open(s.node_name);
  std::cout << "The schema of " << config::without_password(s.store) << " is up to date.\n";
  return exit_code::ok;
}

int verify(const config::settings& s) {
  const auto store = persistence::make_store(s.store);
  return actors::verify_all(*store, std::cout) == 0 ? exit_code::ok : exit_code::differences;
}

int complain(const std::string& what, int code) {
  std::cerr << "callboard: " << what << '\n';
  return code;
}

int run(std::vector<std::string> arguments) {
  std::string command = "serve";
  if (!arguments.empty() && !arguments.front().starts_with('-')) {
    command = arguments.front();
    arguments.erase(arguments.begin());
  } else if (!arguments.empty() && (arguments.front() == "--help" || arguments.front() == "-h")) {
    std::cout << usage;
    return exit_code::ok;
  }
  if (command == "help" || command == "version" || command == "--version") {
    std::cout << (command == "help" ? usage : version) << (command == "help" ? "" : "\n");
    return exit_code::ok;
  }
  if (command != "serve" && command != "migrate" && command != "verify")
    return complain("there is no command '" + command + "'; 'callboard help' lists them", exit_code::usage);

  const auto settings = config::read_settings(arguments, config::process_environment());
  if (settings.help_wanted) {
    std::cout << "usage: callboard " << command << " [options]\n\n" << config::help_text();
    return exit_code::ok;
  }
  for (const auto& warning : settings.warnings)
    std::cerr << "callboard: " << warning << '\n';
  set_log_level(from_name<log_level>(settings.log_level).value_or(log_level::info));
  return command == "serve" ? serve(settings) : command == "migrate" ? migrate(settings) : verify(settings);
}

}  // namespace
}  // namespace callboard

int main(int argc, char** argv) {
  using namespace callboard;
  try {
    return run({argv + 1, argv + argc});
  } catch (const config::usage_error& e) {
    return complain(e.what(), e.code());
  } catch (const http::address_in_use& e) {
    return complain(e.what(), exit_code::port_taken);
  } catch (const persistence::store_in_use& e) {
    return complain(e.what(), exit_code::store_in_use);
  } catch (const persistence::schema_too_new& e) {
    return complain(e.what(), exit_code::refused);
  } catch (const persistence::store_error& e) {
    return complain(e.what(), exit_code::store_unreachable);
  } catch (const std::exception& e) {
    return complain(e.what(), exit_code::internal);
  }
}
