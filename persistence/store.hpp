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

/// How a commit ended. DESIGN of failures: docs/architecture.md.
enum class commit_status : std::uint8_t {
  committed,
  transient,   ///< certainly not committed, the server said so: the same batch may go again
  full,        ///< the same, because there is no space
  unknown,     ///< the connection was lost: it may have committed, or may still
  down,        ///< no connection could be had: certainly not sent
  head_moved,  ///< rolled back: `heads` did not stand where expected
  name_taken,  ///< rolled back: `names` belong to somebody else
  poison,      ///< rolled back: the store refuses something inside
  backwards,   ///< the store forgot batches that were committed: a restored backup, a lagging replica
};

/// A name that could not be written: the value of its table's name column.
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

/// Reading or writing outside a batch failed.
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

/// A parameter of a query; arrays go with `= any($n::type[])`.
using sql_param = std::variant<std::monostate, std::int64_t, bool, std::string, bytes, std::vector<std::int64_t>,
                               std::vector<std::string>>;

/// One row of an answer; views live until the next row.
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

/// One connection for reading, used by one thread at a time. Statements are written for PostgreSQL in the subset that
/// both stores speak: `$n` parameters, no casts but `= any($n::bigint[])` and `= any($n::text[])`.
class reader {
public:
  virtual ~reader() = default;
  using row_sink = std::function<void(const result_row&)>;
  /// Throws store_error; a lost connection is opened anew by the next call.
  virtual void query(std::string_view sql, std::span<const sql_param> params, const row_sink& sink) = 0;
  void query(std::string_view sql, std::initializer_list<sql_param> params, const row_sink& sink) {
    query(sql, std::span{params.begin(), params.size()}, sink);
  }
};

/// Where facts rest. commit, write and reconnect belong to the writer's thread alone.
class store {
public:
  virtual ~store() = default;

  /// Brings the schema up to date (or throws schema_too_new) and makes this process the store's only writer
  /// (or throws store_in_use). Returns the number that the next batch of `node` follows.
  virtual std::int64_t open(std::string_view node) = 0;

  virtual commit_outcome commit(const batch& b) = 0;

  /// A small statement of the writer's own (id blocks, pruning), in a transaction of its own. Throws store_error.
  virtual void write(std::string_view sql, std::span<const sql_param> params, const reader::row_sink& sink) = 0;

  /// After unknown or down: makes sure that nothing sent before can still commit unseen, with a new connection.
  /// Returns the batch number found, or throws store_error while the store can not be reached.
  virtual std::int64_t reconnect() = 0;

  /// Now and then, between two batches.
  virtual void tend() {}

  virtual std::unique_ptr<reader> open_reader() = 0;

  /// The store's own clock, for the time that all nodes share; a wall clock where the store has none.
  virtual instant now(reader& on) = 0;

  /// "sqlite" or "postgresql", and what /readyz says about durability: "full" or "degraded".
  virtual std::string_view name() const = 0;
  virtual std::string_view durability() const = 0;
};

/// `sqlite:path`, `sqlite::memory:`, `postgresql://…`. Throws store_error when the URL can not be read.
std::unique_ptr<store> make_store(const std::string& url);

}  // namespace callboard::persistence
