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

/// A server process, told apart from a later one with the same number.
struct backend {
  std::int64_t pid = 0;
  std::int64_t started_us = 0;
};

/// One connection to PostgreSQL and the statements it has prepared. Throws what libpqxx throws; after a lost
/// connection it is of no more use.
class postgres_session {
public:
  enum class role { writer, reader };

  postgres_session(const std::string& url, role as, std::shared_ptr<watchdog> dog);

  /// In autocommit; prepared once per text. Null pointers are NULL.
  pqxx::result run(std::string_view sql, std::span<const char* const> params);
  /// The same with typed parameters, row by row. The sink runs when the answer is complete.
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

/// The URL with what it does not say itself: how fast a dead server is noticed, and that only a primary will do.
std::string with_defaults(const std::string& url, postgres_session::role as);

}  // namespace callboard::persistence
