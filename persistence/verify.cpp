#include "persistence/verify.hpp"

namespace callboard::persistence {

std::optional<instant> stored_due(reader& from, std::string_view kind, const std::string& key) {
  std::optional<instant> due;
  from.query("select due from timers where kind = $1 and key = $2", {std::string{kind}, key},
             [&](const result_row& r) { due = from_ms(r.integer(0)); });
  return due;
}

}  // namespace callboard::persistence
