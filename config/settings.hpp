#pragma once

#include "config/exit_codes.hpp"

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::config {

// Every option with its default. config/options.cpp has the name, limits and description of each.
struct settings {
  std::string store = "sqlite:data/callboard.db";

  std::string http_address = "127.0.0.1";
  int http_port = 8080;
  int http_threads = 1;
  int http_connections_max = 4096;
  int http_requests_max = 10000;
  int http_bodies_max_mib = 256;
  int http_entity_requests_max = 1024;
  int http_body_max_kib = 1024;
  int http_head_timeout_ms = 10000;
  int http_body_timeout_ms = 20000;
  int http_write_timeout_ms = 20000;
  int http_idle_timeout_ms = 60000;
  int http_drain_timeout_ms = 10000;
  std::vector<std::string> http_cors_origins;
  std::vector<std::string> http_trusted_proxies;

  int command_deadline_ms = 10000;
  std::string auth_mode = "open";

  int actors_threads = 1;
  int actors_residents_max = 50000;
  int actors_state_max_mib = 1024;
  int actors_idle_ms = 60000;

  int writer_batch_events_max = 1000;
  int writer_batch_bytes_max_kib = 1024;
  int writer_patience_ms = 5000;
  int readers_threads = 2;
  int requests_retention_h = 24;

  std::vector<std::string> board_jobs_tags{"quant",   "ml",   "engineering", "frontend", "backend", "research",
                                           "analyst", "data", "intern",      "senior",   "junior",  "systems"};

  int work_retention_s = 86400;
  int work_backoff_ms = 1000;
  std::vector<std::string> work_backoff_by_type;

  std::string log_level = "info";
  std::string node_name = "main";

  // No options, but results of reading them.
  bool help_wanted = false;
  std::filesystem::path file;  // the configuration file that was read; empty when there was none
  std::vector<std::string> warnings;
};

// Its message says in one line where the mistake is and what was expected; it never contains a password.
class usage_error : public std::runtime_error {
public:
  explicit usage_error(const std::string& message, int code = exit_code::usage)
      : std::runtime_error{message}, code_{code} {}

  int code() const noexcept { return code_; }

private:
  int code_;
};

using environment = std::map<std::string, std::string, std::less<>>;

environment process_environment();

// Arguments override the environment, which overrides the file, which overrides the defaults.
// `arguments` are those after the subcommand; `system_file` is read when it exists and no other file
// was named. Throws usage_error.
settings read_settings(const std::vector<std::string>& arguments, const environment& variables,
                       const std::filesystem::path& system_file = "/etc/callboard/callboard.conf");

// Refuses combinations of options that are wrong together. read_settings calls it.
void validate(const settings& chosen);

// The store's URL with its password replaced, for logs.
std::string without_password(std::string_view store);

std::string help_text();
std::string default_file();

}  // namespace callboard::config
