#include "persistence/sqlite/store.hpp"

#include "persistence/migrator.hpp"

#include <filesystem>

namespace callboard::persistence {

namespace {

constexpr std::int64_t wal_bytes_max = 256 << 20;
constexpr int busy_ms = 5'000;
constexpr int truncate_busy_ms = 200;
constexpr std::string_view writer_sql = "select batch from writers where node = $1";
constexpr std::string_view new_writer_sql = "insert into writers (node, batch) values ($1, 0) on conflict do nothing";
constexpr std::string_view note_sql = "insert into schema_versions (number, name, oldest_binary) values ($1, $2, $3)";

const reader::row_sink ignore = [](const result_row&) {};

class sqlite_schema final : public schema_target {
public:
  explicit sqlite_schema(sqlite_connection& db) : db_{db} {}

  schema_state state() override {
    schema_state found;
    if (db_.number("select count(*) from sqlite_schema where name = 'schema_versions'") == 0)
      return found;
    db_.query("select max(number), max(oldest_binary) from schema_versions", {}, [&](const result_row& r) {
      found = {static_cast<int>(r.integer(0)), static_cast<int>(r.integer(1))};
    });
    return found;
  }

  void lock() override {}  // the store already holds the file's lock

  void apply(const migration& m, int oldest_binary) override {
    db_.run("begin immediate");
    try {
      db_.run("create table if not exists schema_versions "
              "(number integer primary key, name text not null, oldest_binary integer not null) strict");
      db_.run(std::string{m.sql}.c_str());
      const sql_param noted[] = {std::int64_t{m.number}, std::string{m.name}, std::int64_t{oldest_binary}};
      db_.query(note_sql, noted, ignore);
      db_.run("commit");
    } catch (...) {
      if (db_.in_transaction())
        db_.run("rollback");
      throw;
    }
  }

private:
  sqlite_connection& db_;
};

}  // namespace

sqlite_store::sqlite_store(std::string path) : path_{std::move(path)} {}

sqlite_store::~sqlite_store() {
  // An orderly end copies the log into the database file; if that fails, the log is read at the next start.
  if (batches_ && checkpointer_ && !checkpointer_->failed()) {
    sqlite3_busy_timeout(writer_->db->raw(), truncate_busy_ms);
    sqlite3_wal_checkpoint_v2(writer_->db->raw(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  }
  disconnect();
}

std::int64_t sqlite_store::open(std::string_view node) {
  node_ = node;
  if (!in_memory()) {
    if (const auto folder = std::filesystem::path{path_}.parent_path(); !folder.empty()) {
      std::error_code problem;
      std::filesystem::create_directories(folder, problem);
      if (problem)
        throw store_error("cannot create " + folder.string() + ": " + problem.message());
    }
    lock_.emplace(path_ + ".lock");
  }
  disconnect();
  connect();
  const std::lock_guard lock{writer_->mutex};
  auto& db = *writer_->db;
  sqlite_schema schema{db};
  migrate(schema, sqlite_migrations());
  const sql_param me[] = {node_};
  db.query(new_writer_sql, me, ignore);
  return last_batch();
}

void sqlite_store::connect() {
  const std::lock_guard lock{writer_->mutex};
  auto& db = writer_->db.emplace(path_);
  try {
    db.run("pragma foreign_keys = off; pragma temp_store = memory; pragma cache_size = -65536");
    if (!in_memory()) {
      sqlite3_db_config(db.raw(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
      const bool wal = db.text("pragma journal_mode = wal") == "wal";
      db.run("pragma synchronous = full; pragma wal_autocheckpoint = 0");
      durable_ = wal && db.number("pragma synchronous") == 2;
      checkpointer_.emplace(path_);
      checkpointer_->watch(db);
    }
    batches_.emplace(db, node_);
  } catch (...) {
    checkpointer_.reset();
    writer_->db.reset();
    throw;
  }
}

void sqlite_store::disconnect() {
  if (in_memory())
    return;
  {
    const std::lock_guard lock{readers_mutex_};
    for (const auto& weak : readers_)
      if (const auto link = weak.lock()) {
        const std::lock_guard idle{link->mutex};
        link->db.reset();
      }
  }
  const std::lock_guard lock{writer_->mutex};
  batches_.reset();
  writer_->db.reset();
  checkpointer_.reset();
}

std::int64_t sqlite_store::last_batch() {
  std::int64_t found = 0;
  const sql_param me[] = {node_};
  writer_->db->query(writer_sql, me, [&](const result_row& r) { found = r.integer(0); });
  return found;
}

commit_outcome sqlite_store::commit(const batch& b) {
  const std::lock_guard lock{writer_->mutex};
  if (checkpointer_ && checkpointer_->failed())
    batches_.reset();
  if (!batches_)
    return {.how = commit_status::down, .why = "the file has to be opened again"};
  auto out = batches_->commit(b);
  if (out.how == commit_status::unknown)
    batches_.reset();
  return out;
}

void sqlite_store::write(std::string_view sql, std::span<const sql_param> params, const reader::row_sink& sink) {
  const std::lock_guard lock{writer_->mutex};
  if (!batches_)
    throw store_error("the file has to be opened again");
  auto& db = *writer_->db;
  try {
    db.prepared("begin immediate").run();
    db.query(sql, params, sink);
    db.prepared("commit").run();
  } catch (const sqlite_failure& e) {
    if (status_of(e) == commit_status::unknown)
      batches_.reset();
    else if (db.in_transaction())
      db.prepared("rollback").run();
    throw;
  }
}

std::int64_t sqlite_store::reconnect() {
  if (!in_memory()) {
    // After a failed sync the kernel may mark pages as clean that never reached the disk. So all descriptors are
    // closed, and only what a new one can copy and sync counts as stored.
    disconnect();
    connect();
    const std::lock_guard lock{writer_->mutex};
    auto& db = *writer_->db;
    try {
      if (db.number("pragma wal_checkpoint(truncate)") != 0)
        throw store_error("the write-ahead log could not be copied into the database: a reader is active");
      return last_batch();
    } catch (...) {
      batches_.reset();
      throw;
    }
  }
  const std::lock_guard lock{writer_->mutex};
  return last_batch();
}

void sqlite_store::maintain() {
  const std::lock_guard lock{writer_->mutex};
  const auto at = std::chrono::steady_clock::now();
  if (!batches_ || !checkpointer_ || at - truncated_at_ < std::chrono::seconds{1})
    return;
  auto& db = *writer_->db;
  if (checkpointer_->wal_pages() * db.number("pragma page_size") <= wal_bytes_max)
    return;
  truncated_at_ = at;
  // Do not wait for an active reader: the next call tries again.
  sqlite3_busy_timeout(db.raw(), truncate_busy_ms);
  const int result = sqlite3_wal_checkpoint_v2(db.raw(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  sqlite3_busy_timeout(db.raw(), busy_ms);
  if ((result & 0xff) == SQLITE_IOERR)
    batches_.reset();
}

std::unique_ptr<reader> sqlite_store::open_reader() {
  if (in_memory())
    return std::make_unique<sqlite_reader>(writer_, std::string{});
  auto link = std::make_shared<sqlite_link>();
  const std::lock_guard lock{readers_mutex_};
  std::erase_if(readers_, [](const auto& weak) { return weak.expired(); });
  readers_.push_back(link);
  return std::make_unique<sqlite_reader>(std::move(link), path_);
}

instant sqlite_store::now(reader&) {
  return std::chrono::time_point_cast<milliseconds>(std::chrono::system_clock::now());
}

}  // namespace callboard::persistence
