#include "persistence/postgres/errors.hpp"

#include <pqxx/pqxx>

#include <algorithm>

namespace callboard::persistence {

postgres_failure failure_of(const std::exception& e) {
  // libpqxx reports these two by exception classes without an SQLSTATE.
  if (dynamic_cast<const pqxx::serialization_failure*>(&e) != nullptr)
    return {"40001", e.what()};
  if (dynamic_cast<const pqxx::deadlock_detected*>(&e) != nullptr)
    return {"40P01", e.what()};
  if (const auto* sql = dynamic_cast<const pqxx::sql_error*>(&e))
    return {sql->sqlstate(), e.what()};
  return {"", e.what()};
}

bool ends_session(const postgres_failure& f) {
  const std::string_view state = f.state;
  return f.lost() || state.starts_with("08") || state.starts_with("57P")  // connection, shutdown
         || state == "25006"                                              // no longer the primary
         || state == "26000" || state == "0A000";                         // prepared statements missing or outdated
}

commit_status status_of(const postgres_failure& f) {
  const std::string_view state = f.state;
  if (f.lost() || state.starts_with("08") || state.starts_with("57P"))
    return commit_status::unknown;
  if (ends_session(f))
    return commit_status::down;
  if (state == "53100")
    return commit_status::full;
  for (const std::string_view poison : {"21", "22", "23", "54"})
    if (state.starts_with(poison))
      return commit_status::poison;
  return commit_status::transient;  // the server reported an error, so it did not commit
}

std::string loggable(const postgres_failure& f) {
  // The first line names constraints and columns. Values are in the details and, in data errors, after a quote.
  auto end = f.what.find('\n');
  if (f.state.starts_with("22"))
    end = std::min(end, f.what.find('"'));
  return (f.lost() ? "postgresql: " : "postgresql " + f.state + ": ") + f.what.substr(0, end);
}

std::string detail_of(const postgres_failure& f) {
  // Message, detail and context are separate lines; the array has no line breaks.
  const auto line = f.what.find('\n');
  const auto begin = line == std::string::npos ? line : f.what.find('[', line);
  if (begin == std::string::npos)
    return "[]";
  return f.what.substr(begin, f.what.find('\n', begin) - begin);
}

}  // namespace callboard::persistence
