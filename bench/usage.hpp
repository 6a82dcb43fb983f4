#pragma once

#include <dirent.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

/// What processes used of the machine.
namespace bench {

inline double own_cpu_us() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto us = [](const timeval& t) { return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec); };
  return us(used.ru_utime) + us(used.ru_stime);
}

/// Exact to nanoseconds, where /proc/<pid>/stat counts in ticks of 10 ms; 0 when there is no such
/// process.
inline double cpu_us(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return 0;
  return static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) / 1e3;
}

/// The numbers of /proc/<pid>/stat that follow the name, which may itself hold blanks: [0] is the
/// state.
inline std::optional<std::vector<std::string>> stat_of(pid_t pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
  std::string line;
  if (!std::getline(file, line))
    return std::nullopt;
  std::istringstream rest{line.substr(line.rfind(')') + 1)};
  std::vector<std::string> words;
  for (std::string word; rest >> word;)
    words.push_back(word);
  return words.size() > 14 ? std::optional{words} : std::nullopt;
}

/// A process, its children, and those of its children that have ended: what a whole PostgreSQL
/// used.
inline double family_cpu_us(pid_t parent) {
  const auto head = stat_of(parent);
  if (parent <= 0 || !head)
    return 0;
  const double tick_us = 1e6 / static_cast<double>(sysconf(_SC_CLK_TCK));
  const double ended =
      (std::strtod((*head)[13].c_str(), nullptr) + std::strtod((*head)[14].c_str(), nullptr)) * tick_us;
  double sum = cpu_us(parent) + ended;
  DIR* proc = opendir("/proc");
  while (proc) {
    const dirent* entry = readdir(proc);
    if (!entry)
      break;
    if (!std::isdigit(static_cast<unsigned char>(entry->d_name[0])))
      continue;
    const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    const auto stat = stat_of(pid);
    if (stat && (*stat)[1] == std::to_string(parent))
      sum += cpu_us(pid);
  }
  if (proc)
    closedir(proc);
  return sum;
}

/// Resident memory; 0 when there is no such process.
inline double rss_mib(pid_t pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/status"};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmRSS:"))
      return std::strtod(line.c_str() + 6, nullptr) / 1024.0;
  return 0;
}

/// CPU of several stretches.
struct cpu_used {
  double own_us = 0;
  double server_us = 0;
  double store_us = 0;

  cpu_used& operator+=(const cpu_used& other) {
    own_us += other.own_us;
    server_us += other.server_us;
    store_us += other.store_us;
    return *this;
  }
};

/// CPU that this process, a server and a database used between two looks.
class cpu_meter {
public:
  cpu_meter(pid_t server, pid_t postmaster) : server_{server}, postmaster_{postmaster} { begin(); }

  void begin() {
    server_us_ = cpu_us(server_);
    store_us_ = family_cpu_us(postmaster_);
    own_us_ = own_cpu_us();
  }
  void end() {
    own_us_ = own_cpu_us() - own_us_;
    server_us_ = cpu_us(server_) - server_us_;
    store_us_ = family_cpu_us(postmaster_) - store_us_;
  }

  double own_us() const { return own_us_; }
  double server_us() const { return server_us_; }
  double store_us() const { return store_us_; }
  cpu_used used() const { return {own_us_, server_us_, store_us_}; }

private:
  pid_t server_;
  pid_t postmaster_;
  double own_us_ = 0;
  double server_us_ = 0;
  double store_us_ = 0;
};

}  // namespace bench
