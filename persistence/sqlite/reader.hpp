#pragma once

#include "persistence/sqlite/connection.hpp"
#include "persistence/store.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace callboard::persistence {

/// A connection and its mutex. Each reader of a file has one of its own, so the mutex is only contended while a failed
/// store closes all connections; with a database in memory the writer and all readers share one.
struct sqlite_link {
  std::mutex mutex;
  std::optional<sqlite_connection> db;
};

class sqlite_reader final : public reader {
public:
  /// With an empty path the link is shared and opened by the store.
  sqlite_reader(std::shared_ptr<sqlite_link> link, std::string path) : link_{std::move(link)}, path_{std::move(path)} {}

  /// The sink must not query the same store: the mutex is held during the query.
  void query(std::string_view sql, std::span<const sql_param> params, const row_sink& sink) override;

private:
  std::shared_ptr<sqlite_link> link_;
  std::string path_;
};

}  // namespace callboard::persistence
