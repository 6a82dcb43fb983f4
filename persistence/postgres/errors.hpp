#pragma once

#include "persistence/store.hpp"

#include <exception>
#include <string>

namespace callboard::persistence {

/// What an exception out of libpqxx says.
struct postgres_failure {
  std::string state;  ///< SQLSTATE; empty when the connection was lost
  std::string what;
  bool lost() const { return state.empty(); }
};

postgres_failure failure_of(const std::exception& e);

/// What a failure means for the batch that met it. States of our own (CB…) are not for this function.
commit_status status_of(const postgres_failure& f);

/// Whether the session can go on being used.
bool ends_session(const postgres_failure& f);

/// For the log: without values, which may be what people wrote.
std::string loggable(const postgres_failure& f);

/// The JSON that abort_batch put into the detail.
std::string detail_of(const postgres_failure& f);

}  // namespace callboard::persistence
