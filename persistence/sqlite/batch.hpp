#pragma once

#include "persistence/batch.hpp"
#include "persistence/sqlite/connection.hpp"
#include "persistence/store.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace callboard::persistence {

/// Writes batches on one connection: one transaction each, one prepared statement per row.
class sqlite_batch {
public:
  sqlite_batch(sqlite_connection& db, std::string node) : db_{db}, node_{std::move(node)} {}

  /// Commits the batch, or nothing of it. After `unknown` the connection must not be used again.
  commit_outcome commit(const batch& b);

private:
  struct table_statements {
    sqlite_statement upsert, erase;
  };
  /// Set when the batch must not commit.
  using failure = std::optional<commit_outcome>;

  commit_outcome write(const batch& b);
  failure move_writer(std::int64_t number);
  failure move_heads(const batch& b);
  failure put_names(const batch& b);
  failure put_lines(const batch& b);
  void put_rows(const batch& b);
  void erase(const table_rows& rows);
  bool put(const row& r);
  table_statements& of(const table& t);
  bool roll_back() noexcept;

  sqlite_connection& db_;
  std::string node_;
  std::unordered_map<const table*, table_statements> tables_;
};

/// The status of a batch in which this call failed.
commit_status status_of(const sqlite_failure& e);

}  // namespace callboard::persistence
