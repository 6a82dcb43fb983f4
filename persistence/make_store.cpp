#include "persistence/postgres/store.hpp"
#include "persistence/sqlite/store.hpp"
#include "persistence/store.hpp"

namespace callboard::persistence {

std::unique_ptr<store> make_store(const std::string& url) {
  static constexpr std::string_view sqlite = "sqlite:";
  if (url.starts_with("postgresql://") || url.starts_with("postgres://"))
    return std::make_unique<postgres_store>(url);
  if (url.starts_with(sqlite) && url.size() > sqlite.size())
    return std::make_unique<sqlite_store>(url.substr(sqlite.size()));
  throw store_error("not a store's URL: it begins with sqlite: or postgresql://");
}

}  // namespace callboard::persistence
