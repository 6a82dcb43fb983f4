#pragma once

#include "persistence/migrations.hpp"

#include <span>

namespace callboard::persistence {

/// What a database says about its schema.
struct schema_state {
  int number = 0;         ///< of the newest migration it has seen
  int oldest_binary = 0;  ///< a binary must know at least this migration to be served
};

/// The few things that differ between databases while their schema is brought up to date.
class schema_target {
public:
  /// Zeros when there is no schema yet. Changes nothing.
  virtual schema_state state() = 0;
  /// Keeps other migrators out until the target ends; called before the first change only.
  virtual void lock() = 0;
  /// Runs the migration and notes it, in one transaction.
  virtual void apply(const migration& m, int oldest_binary) = 0;

protected:
  ~schema_target() = default;
};

/// Applies what is missing; throws schema_too_new when the schema no longer serves this binary. With a current schema
/// nothing is changed and nothing is locked.
void migrate(schema_target& target, std::span<const migration> known);

/// Migrations only add, so any binary may go on using the schema unless a line `-- oldest binary: N` says otherwise.
int oldest_binary_of(const migration& m);

}  // namespace callboard::persistence
