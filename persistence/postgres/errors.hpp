#pragma once

#include "persistence/store.hpp"

#include <exception>
#include <string>

namespace callboard::persistence {

/// An exception of libpqxx.
struct postgres_failure {
  std::string state;  ///< SQLSTATE; empty when the connection was lost
  std::string what;
  bool lost() const { return state.empty(); }
};

postgres_failure failure_of(const std::exception& e);

/// The status of a batch that failed so. Not for the SQLSTATEs of abort_batch (CB…).
commit_status status_of(const postgres_failure& f);

/// Whether the session cannot be used any more.
bool ends_session(const postgres_failure& f);

/// The message for the log, without values, because those may be personal data.
std::string loggable(const postgres_failure& f);

/// The JSON that abort_batch put into the detail.
std::string detail_of(const postgres_failure& f);

}  // namespace callboard::persistence
