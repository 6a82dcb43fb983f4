#include "base/log.hpp"
#include "base/sliding_histogram.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

using namespace callboard;
using namespace std::chrono_literals;

namespace {

constexpr sliding_histogram::clock::time_point start{1000s};

/// Sends log lines into a pipe that only the test reads.
class log_pipe {
public:
  log_pipe() {
    REQUIRE(::pipe2(ends_, O_NONBLOCK) == 0);
    log_to(ends_[1]);
  }
  ~log_pipe() {
    log_to(STDERR_FILENO);
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  std::string read() {
    std::string out;
    char bytes[4096];
    for (ssize_t n; (n = ::read(ends_[0], bytes, sizeof bytes)) > 0;)
      out.append(bytes, static_cast<std::size_t>(n));
    return out;
  }
  // Blocking, as the descriptor that a process inherits.
  void block() { ::fcntl(ends_[1], F_SETFL, 0); }

private:
  int ends_[2];
};

}  // namespace

TEST_CASE("a histogram covers the last minute", "[metrics]") {
  sliding_histogram h{start};
  CHECK(h.last_minute(start).count == 0);
  for (int i = 1; i <= 1000; ++i)
    h.record(std::chrono::milliseconds{i}, start + 10s);
  const auto s = h.last_minute(start + 10s);
  CHECK(s.count == 1000);
  CHECK(s.per_second == Approx(100));
  CHECK(s.p50_ms == Approx(500).epsilon(0.07));
  CHECK(s.p99_ms == Approx(990).epsilon(0.07));
  CHECK(h.last_minute(start + 69s).count == 1000);
  CHECK(h.last_minute(start + 69s).per_second == Approx(1000.0 / 60));
  CHECK(h.last_minute(start + 70s).count == 0);
  h.record(5us, start + 74s);  // the same slot, another minute
  CHECK(h.last_minute(start + 74s).count == 1);
  CHECK(h.last_minute(start + 74s).p99_ms == Approx(0.005));
}

TEST_CASE("a histogram takes any duration", "[metrics]") {
  for (const auto took :
       std::vector<sliding_histogram::clock::duration>{-1s, 0s, 1ns, 7us, 8us, 15us, 16us, 1h, 1000h}) {
    sliding_histogram h{start};
    h.record(took, start);
    CHECK(h.last_minute(start).count == 1);
  }
  sliding_histogram h{start};
  h.record(9us, start);
  CHECK(h.last_minute(start).p50_ms == Approx(0.0095));
}

TEST_CASE("threads may record concurrently", "[metrics]") {
  sliding_histogram h{start};
  h.record(1us, start);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i)
        h.record(1us, start);
    });
  for (auto& t : threads)
    t.join();
  CHECK(h.last_minute(start).count == 40'001);
}

TEST_CASE("a log line is one line of JSON whatever it holds", "[log]") {
  log_pipe pipe;
  log_line(log_level::warn, "a\r\nb\x1b[31m\"",
           {{"text", "x\ny"}, {"n", 7}, {"big", std::uint64_t{8}}, {"real", 0.5}, {"yes", true}});
  log_line(log_level::debug, "not important");
  const auto text = pipe.read();
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(text.find('\x1b') == std::string::npos);
  const auto line = nlohmann::json::parse(text);
  CHECK(line["level"] == "warn");
  CHECK(line["message"] == "a\r\nb\x1b[31m\"");
  CHECK(line["text"] == "x\ny");
  CHECK(line["n"] == 7);
  CHECK(line["big"] == 8);
  CHECK(line["real"] == 0.5);
  CHECK(line["yes"] == true);
  CHECK(line["time"].get<std::string>().size() == 24);
}

TEST_CASE("when nobody reads the log, lines are dropped and no thread waits", "[log]") {
  log_pipe pipe;
  pipe.block();
  const auto before = log_lines_dropped();
  const std::string filling(1000, 'x');
  for (int i = 0; i < 200; ++i)
    log_line(log_level::error, "filling", {{"text", filling}});
  const auto dropped = log_lines_dropped() - before;
  CHECK(dropped > 0);
  pipe.read();
  log_line(log_level::error, "after");
  const auto line = nlohmann::json::parse(pipe.read());
  CHECK(line["linesDropped"] == dropped);
  log_line(log_level::error, "later");
  CHECK_FALSE(nlohmann::json::parse(pipe.read()).contains("linesDropped"));
}

TEST_CASE("a field that would make a line too long is left out", "[log]") {
  log_pipe pipe;
  log_line(log_level::error, "long", {{"a", 1}, {"huge", std::string(10'000, 'x')}, {"b", 2}});
  const auto line = nlohmann::json::parse(pipe.read());
  CHECK(line["a"] == 1);
  CHECK(line["b"] == 2);
  CHECK_FALSE(line.contains("huge"));
}
