#pragma once

#include <span>
#include <string_view>

namespace callboard::persistence {

/// One file of migrations/, built into the binary: 001_spine.sql has number 1 and name "spine".
struct migration {
  int number;
  std::string_view name;
  std::string_view sql;
};

/// In ascending order of their numbers.
std::span<const migration> sqlite_migrations();
std::span<const migration> postgres_migrations();

}  // namespace callboard::persistence
