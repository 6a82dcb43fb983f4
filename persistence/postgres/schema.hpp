#pragma once

#include "persistence/migrator.hpp"
#include "persistence/postgres/session.hpp"

#include <chrono>

namespace callboard::persistence {

/// Advisory locks of the whole database; released when the session ends, for whatever reason.
enum class session_lock : std::int64_t { writer = 0x63616c6c626f0001, migrations = 0x63616c6c626f0002 };

/// False when another session still holds it after that time.
bool take(postgres_session& on, session_lock which, std::chrono::milliseconds patience);
void release(postgres_session& on, session_lock which);

class postgres_schema final : public schema_target {
public:
  explicit postgres_schema(postgres_session& on) : on_{on} {}
  ~postgres_schema();
  postgres_schema(const postgres_schema&) = delete;
  postgres_schema& operator=(const postgres_schema&) = delete;

  schema_state state() override;
  void lock() override;
  void apply(const migration& m, int oldest_binary) override;

private:
  postgres_session& on_;
  bool locked_ = false;
};

}  // namespace callboard::persistence
