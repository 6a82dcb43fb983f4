#pragma once

#include "bench/options.hpp"

#include <sys/types.h>

#include <cstdint>

namespace bench {

inline int port_in(options& from) { return static_cast<int>(from.integer("port", 8080, 1, 65'535)); }

/// A process id; 0 when none is given.
inline pid_t process_in(options& from, const char* name) {
  return static_cast<pid_t>(from.integer(name, 0, 0, INT32_MAX));
}

/// The server that is measured, and how it is reached: --port, --connections, --pid, --postgres.
struct target {
  int port;
  int connections;
  pid_t server;
  pid_t postmaster;

  explicit target(options& from, int connections_preset = 64)
      : port{port_in(from)}, connections{static_cast<int>(from.integer("connections", connections_preset, 1, 4'096))},
        server{process_in(from, "pid")}, postmaster{process_in(from, "postgres")} {}
};

}  // namespace bench
