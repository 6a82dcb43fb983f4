#pragma once

#include "persistence/migrations.hpp"

#include <span>

namespace callboard::persistence {

/// Which migrations a database has.
struct schema_state {
  int number = 0;         ///< of the newest migration that was applied
  int oldest_binary = 0;  ///< a binary must know at least this migration to use the schema
};

/// What a migration needs of a database.
class schema_target {
public:
  /// Zeros when there is no schema yet. Changes nothing.
  virtual schema_state state() = 0;
  /// Excludes other migrators until the target is destroyed; called before the first change only.
  virtual void lock() = 0;
  /// Runs the migration and records it, in one transaction.
  virtual void apply(const migration& m, int oldest_binary) = 0;

protected:
  ~schema_target() = default;
};

/// Applies missing migrations; throws schema_too_new when this binary is too old for the schema. With a current schema
/// nothing is changed and nothing is locked.
void migrate(schema_target& target, std::span<const migration> known);

/// Migrations only add, so older binaries may use a newer schema unless a line `-- oldest binary: N` says otherwise.
int oldest_binary_of(const migration& m);

}  // namespace callboard::persistence
