#pragma once

#include "persistence/sqlite/connection.hpp"
#include "persistence/store.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace callboard::persistence {

/// A connection and who may use it now. Each reader of a file has one of its own, so its mutex is free but for the
/// moment when a broken store closes everything; in memory the writer and all readers share one.
struct sqlite_link {
  std::mutex mutex;
  std::optional<sqlite_connection> db;
};

class sqlite_reader final : public reader {
public:
  /// An empty path: the link is shared and opened by somebody else.
  sqlite_reader(std::shared_ptr<sqlite_link> link, std::string path) : link_{std::move(link)}, path_{std::move(path)} {}

  /// The sink must not query again on the same store: the mutex spans the query.
  void query(std::string_view sql, std::span<const sql_param> params, const row_sink& sink) override;

private:
  std::shared_ptr<sqlite_link> link_;
  std::string path_;
};

}  // namespace callboard::persistence
