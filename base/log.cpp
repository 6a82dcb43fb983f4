#include "base/log.hpp"

#include "base/instant.hpp"
#include "base/json_write.hpp"
#include "base/named.hpp"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>

namespace callboard {

namespace {

std::atomic<log_level> least_level{log_level::info};
std::atomic<int> target{STDERR_FILENO};
std::atomic<std::uint64_t> dropped_total{0};
std::atomic<std::uint64_t> dropped_untold{0};
std::mutex one_writer;

// A pipe that polls as writable takes PIPE_BUF bytes without blocking, if nobody else of us writes.
bool write_unless_blocked(std::string_view line) {
  const std::scoped_lock alone{one_writer};
  pollfd ready{.fd = target.load(), .events = POLLOUT, .revents = 0};
  if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0)
    return false;
  return write(ready.fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

void write_member(std::string& out, std::string_view key, const log_value& value) {
  out += ',';
  write_json_string(out, key);
  out += ':';
  value.write(out);
}

}  // namespace

void log_value::write(std::string& out) const {
  std::visit([&](const auto& x) { write_json(out, x); }, value_);
}

void log_line(log_level level, std::string_view message, std::initializer_list<log_field> fields) {
  if (!logs(level))
    return;
  const auto now = std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
  std::string line = "{\"time\":";
  write_json(line, now);
  write_member(line, "level", name(level));
  write_member(line, "message", message);
  const auto untold = dropped_untold.exchange(0);
  if (untold > 0)
    write_member(line, "linesDropped", untold);
  for (const auto& [key, value] : fields) {
    const auto before = line.size();
    write_member(line, key, value);
    // A line that would be cut is no JSON: leave out what does not fit.
    if (line.size() + 2 > PIPE_BUF)
      line.resize(before);
  }
  line += "}\n";
  if (line.size() > PIPE_BUF || !write_unless_blocked(line)) {
    ++dropped_total;
    dropped_untold += untold + 1;
  }
}

bool logs(log_level level) { return level >= least_level.load(std::memory_order_relaxed); }
void set_log_level(log_level least) { least_level = least; }
void log_to(int descriptor) { target = descriptor; }
std::uint64_t log_lines_dropped() { return dropped_total; }

}  // namespace callboard
