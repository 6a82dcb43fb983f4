#include "persistence/migrator.hpp"

#include "persistence/store.hpp"

#include <charconv>
#include <string>

namespace callboard::persistence {

int oldest_binary_of(const migration& m) {
  static constexpr std::string_view mark = "-- oldest binary: ";
  int number = 1;
  if (const auto at = m.sql.find(mark); at != std::string_view::npos)
    std::from_chars(m.sql.data() + at + mark.size(), m.sql.data() + m.sql.size(), number);
  return number;
}

void migrate(schema_target& target, std::span<const migration> known) {
  const int newest = known.empty() ? 0 : known.back().number;
  auto found = target.state();
  if (found.number < newest) {
    target.lock();
    found = target.state();  // another process may have migrated before we had the lock
  }
  if (found.number > newest && found.oldest_binary > newest)
    throw schema_too_new("the schema is at " + std::to_string(found.number) + " and serves binaries from " +
                         std::to_string(found.oldest_binary) + " on; this one knows " + std::to_string(newest));
  for (const auto& m : known)
    if (m.number > found.number)
      target.apply(m, oldest_binary_of(m));
}

}  // namespace callboard::persistence
