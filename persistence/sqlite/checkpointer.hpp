#pragma once

#include "persistence/sqlite/connection.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace callboard::persistence {

/// Copies the write-ahead log into the database on a thread and a connection of its own, so that the writer never waits
/// for it.
class checkpointer {
public:
  explicit checkpointer(const std::string& path);
  ~checkpointer();
  checkpointer(const checkpointer&) = delete;
  checkpointer& operator=(const checkpointer&) = delete;

  /// Follows the length of the log by a hook on the writer's commits.
  void watch(sqlite_connection& writer);
  std::int64_t wal_pages() const { return pages_; }
  /// Writing into the database file failed, so its descriptor must not be used again.
  bool failed() const { return failed_; }

private:
  void loop();
  static int committed(void* self, sqlite3*, const char*, int pages);

  sqlite_connection db_;
  std::atomic<std::int64_t> pages_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  bool due_ = false;
  std::thread thread_;
};

}  // namespace callboard::persistence
