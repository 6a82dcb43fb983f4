#pragma once

#include "base/instant.hpp"
#include "base/sql.hpp"
#include "messages/entity_id.hpp"
#include "persistence/batch.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace callboard::persistence {

/// How a commit ended. docs/architecture.md says what the writer does for each.
enum class commit_status : std::uint8_t {
  committed,
  transient,   ///< certainly not committed, as the server reported: the same batch may be sent again
  full,        ///< the same, because there is no space
  unknown,     ///< the connection was lost: it may have committed, or may still commit
  down,        ///< there was no connection: certainly not sent
  head_moved,  ///< rolled back: `heads` did not have the expected seq
  name_taken,  ///< rolled back: `names` belong to another owner
  poison,      ///< rolled back: the store refuses something inside
  backwards,   ///< the store forgot batches that were committed: a restored backup, a lagging replica
};

/// A name that another owner has: the value of its table's name column.
struct taken_name {
  const table* in;
  std::string name;
};

struct commit_outcome {
  commit_status how = commit_status::committed;
  std::int64_t last_position = 0;  ///< of the journal, when committed with events
  std::vector<entity_id> heads{};
  std::vector<taken_name> names{};
  std::string why{};  ///< for the log, never for a caller
};

/// A read, or a write outside a batch, failed.
struct store_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Another process holds this store.
struct store_in_use : store_error {
  using store_error::store_error;
};
/// The schema is newer than this binary.
struct schema_too_new : store_error {
  using store_error::store_error;
};

/// A parameter of a query; arrays are used as `= any($n::type[])`.
using sql_param = std::variant<std::monostate, std::int64_t, bool, std::string, bytes, std::vector<std::int64_t>,
                               std::vector<std::string>>;

/// One row of a result; views are valid until the next row.
class result_row {
public:
  virtual bool is_null(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual bool boolean(int column) const = 0;
  virtual std::string_view text(int column) const = 0;
  virtual std::string blob(int column) const = 0;

protected:
  ~result_row() = default;
};

/// One connection for reading, used by one thread at a time. Statements are written in the subset of PostgreSQL's SQL
/// that both stores accept: `$n` parameters, no casts but `= any($n::bigint[])` and `= any($n::text[])`.
class reader {
public:
  virtual ~reader() = default;
  using row_sink = std::function<void(const result_row&)>;
  /// Throws store_error; the next call after a lost connection opens a new one.
  virtual void query(std::string_view sql, std::span<const sql_param> params, const row_sink& sink) = 0;
  void query(std::string_view sql, std::initializer_list<sql_param> params, const row_sink& sink) {
    query(sql, std::span{params.begin(), params.size()}, sink);
  }
};

/// A database. commit, write, reconnect and maintain are called by the writer's thread only.
class store {
public:
  virtual ~store() = default;

  /// Migrates the schema (or throws schema_too_new) and makes this process the store's only writer (or throws
  /// store_in_use). Returns the number of the last batch of `node`.
  virtual std::int64_t open(std::string_view node) = 0;

  virtual commit_outcome commit(const batch& b) = 0;

  /// A small statement outside batches (id blocks, pruning), in a transaction of its own. Throws store_error.
  virtual void write(std::string_view sql, std::span<const sql_param> params, const reader::row_sink& sink) = 0;

  /// After unknown or down: opens a new connection and makes sure that nothing sent before can still commit unseen.
  /// Returns the number of the last batch, or throws store_error while the store cannot be reached.
  virtual std::int64_t reconnect() = 0;

  /// Maintenance between two batches, about once a second.
  virtual void maintain() {}

  virtual std::unique_ptr<reader> open_reader() = 0;

  /// The store's own clock, which all nodes share; the wall clock where the store has none.
  virtual instant now(reader& on) = 0;

  /// "sqlite" or "postgresql", and what /readyz says about durability: "full" or "degraded".
  virtual std::string_view name() const = 0;
  virtual std::string_view durability() const = 0;
};

/// `sqlite:path`, `sqlite::memory:`, `postgresql://…`. Throws store_error for any other URL.
std::unique_ptr<store> make_store(const std::string& url);

}  // namespace callboard::persistence
