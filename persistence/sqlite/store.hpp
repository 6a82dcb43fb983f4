#pragma once

#include "persistence/sqlite/batch.hpp"
#include "persistence/sqlite/checkpointer.hpp"
#include "persistence/sqlite/file_lock.hpp"
#include "persistence/sqlite/reader.hpp"
#include "persistence/store.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace callboard::persistence {

/// A SQLite file with one writer, or a database in memory.
class sqlite_store final : public store {
public:
  /// A path, or `:memory:`.
  explicit sqlite_store(std::string path);
  ~sqlite_store() override;

  std::int64_t open(std::string_view node) override;
  commit_outcome commit(const batch& b) override;
  void write(std::string_view sql, std::span<const sql_param> params, const reader::row_sink& sink) override;
  std::int64_t reconnect() override;
  void maintain() override;
  std::unique_ptr<reader> open_reader() override;
  instant now(reader& on) override;
  std::string_view name() const override { return "sqlite"; }
  std::string_view durability() const override { return durable_ ? "full" : "degraded"; }

private:
  bool in_memory() const { return path_ == ":memory:"; }
  void connect();
  void disconnect();
  std::int64_t last_batch();

  std::string path_;
  std::string node_;
  std::optional<file_lock> lock_;
  std::shared_ptr<sqlite_link> writer_ = std::make_shared<sqlite_link>();
  std::optional<sqlite_batch> batches_;
  std::optional<checkpointer> checkpointer_;
  std::chrono::steady_clock::time_point truncated_at_{};
  std::atomic<bool> durable_ = false;
  std::mutex readers_mutex_;
  std::vector<std::weak_ptr<sqlite_link>> readers_;
};

}  // namespace callboard::persistence
