#pragma once

#include "persistence/migrations.hpp"

#include <pqxx/pqxx>

#include <string>

namespace bench {

/// Callboard's own tables in an empty database, so that a program without Callboard writes the same rows.
inline void make_schema(const std::string& database) {
  pqxx::connection db{database};
  for (const auto& m : callboard::persistence::postgres_migrations())
    pqxx::nontransaction{db}.exec(std::string{m.sql});
}

}  // namespace bench
