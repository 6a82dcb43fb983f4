#include "persistence/sqlite/checkpointer.hpp"

#include <chrono>

namespace callboard::persistence {

namespace {

constexpr auto every = std::chrono::seconds{1};
constexpr int pages_at_once = 4'000;

}  // namespace

checkpointer::checkpointer(const std::string& path) : db_{path} {
  sqlite3_db_config(db_.raw(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  // Only a synchronous checkpoint syncs the log before it overwrites the database.
  db_.run("pragma synchronous = full");
  thread_ = std::thread{[this] { loop(); }};
}

checkpointer::~checkpointer() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void checkpointer::watch(sqlite_connection& writer) { sqlite3_wal_hook(writer.raw(), &committed, this); }

int checkpointer::committed(void* self, sqlite3*, const char*, int pages) {
  auto& me = *static_cast<checkpointer*>(self);
  const auto before = me.pages_.exchange(pages);
  if (pages / pages_at_once > before / pages_at_once) {
    {
      const std::lock_guard lock{me.mutex_};
      me.due_ = true;
    }
    me.wake_.notify_one();
  }
  return SQLITE_OK;
}

void checkpointer::loop() {
  for (;;) {
    {
      std::unique_lock lock{mutex_};
      wake_.wait_for(lock, every, [this] { return stopping_ || due_; });
      if (stopping_)
        return;
      due_ = false;
    }
    const int result =
        sqlite3_wal_checkpoint_v2(db_.raw(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr) & 0xff;
    // After a full disk the next round tries again: what could not be copied is still in the log.
    if (result != SQLITE_OK && result != SQLITE_BUSY && result != SQLITE_LOCKED && result != SQLITE_FULL &&
        result != SQLITE_NOMEM) {
      failed_ = true;
      return;
    }
  }
}

}  // namespace callboard::persistence
