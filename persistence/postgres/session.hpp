#pragma once

#include "persistence/postgres/watchdog.hpp"
#include "persistence/store.hpp"

#include <pqxx/pqxx>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace callboard::persistence {

/// A server process; the start time tells it apart from a later one with the same pid.
struct backend {
  std::int64_t pid = 0;
  std::int64_t started_us = 0;
};

/// One connection to PostgreSQL and its prepared statements. Throws what libpqxx throws; it cannot be used after the
/// connection is lost.
class postgres_session {
public:
  enum class role { writer, reader };

  postgres_session(const std::string& url, role as, std::shared_ptr<watchdog> dog);

  /// Runs a statement in autocommit; prepared once per text. Null pointers are NULL.
  pqxx::result run(std::string_view sql, std::span<const char* const> params);
  /// The same with typed parameters, row by row. The sink is called after the result is complete.
  void query(std::string_view sql, std::span<const sql_param> params, const reader::row_sink& sink);
  void query(std::string_view sql, std::initializer_list<sql_param> params, const reader::row_sink& sink) {
    query(sql, std::span{params.begin(), params.size()}, sink);
  }

  const backend& self() const { return self_; }
  bool durable() const { return durable_; }
  pqxx::connection& connection() { return connection_; }

private:
  struct text_hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::shared_ptr<watchdog> dog_;
  std::chrono::milliseconds limit_;
  pqxx::connection connection_;
  std::unordered_map<std::string, std::string, text_hash, std::equal_to<>> prepared_;
  backend self_;
  bool durable_ = false;
};

/// The URL with defaults for what it does not set: timeouts that detect a dead server, and that a primary is required.
std::string with_defaults(const std::string& url, postgres_session::role as);

}  // namespace callboard::persistence
