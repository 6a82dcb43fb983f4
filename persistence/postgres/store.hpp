#pragma once

#include "persistence/postgres/batch_statement.hpp"
#include "persistence/postgres/errors.hpp"
#include "persistence/postgres/session.hpp"
#include "persistence/postgres/watchdog.hpp"
#include "persistence/store.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace callboard::persistence {

/// A PostgreSQL database. The writer's session holds an advisory lock: there is one writer, and the next holder of the
/// lock knows that the last statement of the previous one has ended.
class postgres_store final : public store {
public:
  explicit postgres_store(std::string url);

  std::int64_t open(std::string_view node) override;
  commit_outcome commit(const batch& b) override;
  void write(std::string_view sql, std::span<const sql_param> params, const reader::row_sink& sink) override;
  std::int64_t reconnect() override;
  std::unique_ptr<reader> open_reader() override;
  instant now(reader& on) override;
  std::string_view name() const override { return "postgresql"; }
  std::string_view durability() const override { return durable_ ? "full" : "degraded"; }

private:
  void connect(std::chrono::milliseconds patience);
  void end_old_backends(postgres_session& by);
  std::int64_t last_batch();
  commit_outcome failed(const batch& b, const postgres_failure& f);
  commit_outcome not_moved(const batch& b);
  commit_outcome heads_moved(const batch& b, const postgres_failure& f) const;
  commit_outcome names_taken(const batch& b, const postgres_failure& f) const;
  commit_outcome journal_collided(const batch& b, const postgres_failure& f);

  std::string url_;
  std::string node_;
  std::shared_ptr<watchdog> dog_ = std::make_shared<watchdog>();
  std::unique_ptr<postgres_session> session_;  ///< null after a lost connection
  std::vector<backend> backends_;              ///< earlier ones that may still run a statement of ours
  batch_statement statement_;
  std::atomic<bool> durable_ = false;
};

}  // namespace callboard::persistence
