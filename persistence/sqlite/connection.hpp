#pragma once

#include "persistence/store.hpp"

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace callboard::persistence {

/// A failed call, with SQLite's extended result code.
struct sqlite_failure : store_error {
  sqlite_failure(int result, const std::string& what) : store_error{what}, code{result} {}
  int primary() const { return code & 0xff; }
  int code;
};

/// A prepared statement. Bound texts must stay valid until the step is done, because they are not copied.
class sqlite_statement {
public:
  sqlite_statement(sqlite3* db, std::string_view sql);

  void bind(int at, std::int64_t x);
  void bind(int at, std::string_view text);
  void bind_blob(int at, std::string_view data);
  void bind_null(int at);
  void bind(int at, const sql_value& x);
  /// The parameter's index; 0 when the statement has no such parameter.
  int parameter(const char* name) const { return sqlite3_bind_parameter_index(raw_.get(), name); }

  /// True while there is a row.
  bool step();
  void reset() noexcept { sqlite3_reset(raw_.get()); }
  /// Runs a statement that returns no rows.
  void run();
  sqlite3_stmt* raw() const { return raw_.get(); }

private:
  void check(int result) const;
  struct finalize {
    void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
  };
  std::unique_ptr<sqlite3_stmt, finalize> raw_;
};

/// One connection and its prepared statements. For one thread at a time.
class sqlite_connection {
public:
  enum class file { may_be_new, must_exist };
  explicit sqlite_connection(const std::string& path, file is = file::may_be_new);

  /// Runs one or more statements without parameters.
  void run(const char* sql);
  /// The first column of the first row; 0 without a row.
  std::int64_t number(const char* sql);
  std::string text(const char* sql);
  /// Prepared once per text. The text is written for both stores: `= any($n::type[])` is rewritten to read a JSON
  /// array.
  sqlite_statement& prepared(std::string_view sql);
  /// Binds the parameters by name and calls the sink for each row.
  void query(std::string_view sql, std::span<const sql_param> params, const reader::row_sink& sink);

  int changes() const { return sqlite3_changes(raw_.get()); }
  std::int64_t last_rowid() const { return sqlite3_last_insert_rowid(raw_.get()); }
  bool in_transaction() const { return sqlite3_get_autocommit(raw_.get()) == 0; }
  sqlite3* raw() const { return raw_.get(); }

private:
  struct close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  struct text_hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unique_ptr<sqlite3, close> raw_;
  std::unordered_map<std::string, sqlite_statement, text_hash, std::equal_to<>> statements_;
};

/// The statement in SQLite's syntax.
std::string translated(std::string_view sql);

}  // namespace callboard::persistence
