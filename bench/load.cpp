// Load on Callboard over HTTP: one thread, epoll, keep-alive connections; prints one JSON line.
//
//   create     make openings, print their ids separated by commas
//                --openings=1 --capacity=100 --ack-window=300
//   apply      new people apply to the openings in turn
//                --openings=ID,ID,... --connections=64 --seconds=5 --warm-up=0.5 --rate=0
//                --prefix=u
//   mix        apply, withdraw and acknowledge in an opening that `seed` filled
//                --opening=1 --live=1000 --waiting=1000 --cycles=20 --requests=400
//                --connections=64 --state=FILE
//   deadlines  how late offers decay while other traffic runs
//                --openings=200 --slots=2 --window=1 --busy-openings=200 --rate=1000 --seconds=5
//                --connections=64
//   ready      wait until /readyz answers 200
//                --since=SECONDS --timeout=60
//   once       one request on a connection of its own; --expect=0 takes any status
//                --method=GET --path=/api/healthz --body= --expect=0
//
// All take --port=8080, all but create --pid, the server's process, and apply, mix and deadlines
// --postgres, the postmaster: then what those used of the machine is told as well.
#include "bench/deadlines.hpp"
#include "bench/mix.hpp"
#include "bench/openings.hpp"
#include "bench/program.hpp"
#include "bench/target.hpp"

#include <charconv>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace bench {
namespace {

void print(const json& line) { std::cout << line.dump() << std::endl; }

std::vector<std::int64_t> ids_in(const std::string& list) {
  std::vector<std::int64_t> out;
  for (const char *at = list.data(), *end = at + list.size(); at < end;) {
    std::int64_t id = 0;
    const auto [stop, problem] = std::from_chars(at, end, id);
    if (problem != std::errc{} || id < 1)
      throw std::invalid_argument("--openings must be ids, separated by commas");
    out.push_back(id);
    at = stop + 1;
  }
  if (out.empty())
    throw std::invalid_argument("--openings must name at least one opening");
  return out;
}

void create(options& from) {
  const auto port = port_in(from);
  const auto count = from.integer("openings", 1, 1, 100'000);
  const opening_options wanted{.capacity = from.integer("capacity", 100, 1, 1'000'000),
                               .ack_window_s = from.integer("ack-window", 300, 1, 2'592'000)};
  from.finish();
  connection_pool with{port, static_cast<int>(std::min<std::int64_t>(count, 32))};
  std::string line;
  for (const auto id : create_openings(with, count, wanted))
    line += (line.empty() ? "" : ",") + std::to_string(id);
  std::cout << line << std::endl;
}

void apply(options& from) {
  const target at{from};
  applies people{ids_in(from.text("openings")), from.text("prefix", "u")};
  cpu_meter cpu{at.server, at.postmaster};
  const pace how{.warm_up = std::chrono::duration<double>{from.real("warm-up", 0.5, 0, 60)},
                 .measured = std::chrono::duration<double>{from.real("seconds", 5, 0.1, 3'600)},
                 .per_second = from.real("rate", 0, 0, 1'000'000),
                 .begin = [&] { cpu.begin(); },
                 .end = [&] { cpu.end(); }};
  from.finish();
  connection_pool with{at.port, at.connections};
  const auto metrics = with.run(people, how);
  auto out = to_json(metrics);
  out.update(per_request(cpu, metrics.requests));
  print(out);
  if (!people.first_problem.empty())
    std::cerr << "first problem: " << people.first_problem << std::endl;
}

/// Seconds since 1970, as the shell has them in EPOCHREALTIME.
double wall_s() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

bool is_ready(int port) {
  try {
    connection_pool with{port, 1};
    request_list question{{http_request("GET", "/readyz")}, 200};
    return with.run(question, {.measured = std::chrono::seconds{1}}).ok_in_all == 1;
  } catch (const std::exception&) {
    return false;  // nobody listens yet
  }
}

void ready(options& from) {
  const auto port = port_in(from);
  const auto since = from.real("since", wall_s(), 0, 1e11);
  const auto timeout_s = from.real("timeout", 60, 0.1, 3'600);
  const auto pid = process_in(from, "pid");
  from.finish();
  while (!is_ready(port)) {
    if (wall_s() - since > timeout_s)
      throw std::runtime_error("not ready after " + std::to_string(timeout_s) + " s");
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  const json out{{"ready_ms", rounded((wall_s() - since) * 1e3)},
                 {"rss_mib", rounded(rss_mib(pid))},
                 {"cpu_ms", rounded(cpu_us(pid) / 1e3)}};
  print(out);
}

void once(options& from) {
  const auto port = port_in(from);
  const auto pid = process_in(from, "pid");
  const auto method = from.text("method", "GET");
  const auto path = from.text("path", "/api/healthz");
  const auto request = http_request(method, path, from.text("body"));
  const auto expected = static_cast<int>(from.integer("expect", 0, 0, 599));
  from.finish();
  connection_pool with{port, 1};
  request_list question{{request}, 200};
  const auto cpu_before = cpu_us(pid);
  const auto metrics = with.run(question, {.measured = std::chrono::seconds{120}});
  const auto status = metrics.other.empty() ? 200 : metrics.other.begin()->first;
  if (expected != 0 && status != expected)
    throw std::runtime_error(path + " answered " + std::to_string(status) + " " + question.bodies[0].substr(0, 300));
  json out{{"status", status},
           {"ms", rounded(metrics.latency.max_ms())},
           {"cpu_ms", rounded((cpu_us(pid) - cpu_before) / 1e3)},
           {"rss_mib", rounded(rss_mib(pid))},
           {"body", question.bodies[0].substr(0, 300)}};
  std::cout << out.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
  return run_mode("load", argc, argv,
                  {{"create", create},
                   {"apply", apply},
                   {"mix", [](options& from) { print(mix{from}.run()); }},
                   {"deadlines", [](options& from) { print(deadlines{from}.run()); }},
                   {"ready", ready},
                   {"once", once}});
}
