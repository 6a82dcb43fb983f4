#include "persistence/postgres/schema.hpp"

#include <thread>

namespace callboard::persistence {

namespace {

constexpr std::chrono::milliseconds try_again{50};
constexpr std::chrono::seconds migration_patience{60};

}  // namespace

bool take(postgres_session& on, session_lock which, std::chrono::milliseconds patience) {
  // Polled, because a waiting statement would be cancelled by statement_timeout.
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    bool taken = false;
    on.query("select pg_try_advisory_lock($1)", {static_cast<std::int64_t>(which)},
             [&](const result_row& r) { taken = r.boolean(0); });
    if (taken || std::chrono::steady_clock::now() >= until)
      return taken;
    std::this_thread::sleep_for(try_again);
  }
}

void release(postgres_session& on, session_lock which) {
  on.query("select pg_advisory_unlock($1)", {static_cast<std::int64_t>(which)}, [](const result_row&) {});
}

postgres_schema::~postgres_schema() {
  if (!locked_)
    return;
  try {
    release(on_, session_lock::migrations);
  } catch (const std::exception&) {
    // The session is lost, and the lock with it.
  }
}

schema_state postgres_schema::state() {
  bool exists = false;
  on_.query("select to_regclass('schema_versions') is not null", {},
            [&](const result_row& r) { exists = r.boolean(0); });
  schema_state found;
  if (exists)
    on_.query("select coalesce(max(number), 0), coalesce(max(oldest_binary), 0) from schema_versions", {},
              [&](const result_row& r) {
                found = {static_cast<int>(r.integer(0)), static_cast<int>(r.integer(1))};
              });
  return found;
}

void postgres_schema::lock() {
  locked_ = take(on_, session_lock::migrations, migration_patience);
  if (!locked_)
    throw store_in_use("another process is migrating the schema");
}

void postgres_schema::apply(const migration& m, int oldest_binary) {
  pqxx::work change{on_.connection()};
  change.exec("set local statement_timeout = 0");  // an index on a big table takes its time
  change.exec("create table if not exists schema_versions "
              "(number integer primary key, name text not null, oldest_binary integer not null)");
  change.exec(std::string{m.sql});
  change.exec_params("insert into schema_versions (number, name, oldest_binary) values ($1, $2, $3)", m.number,
                     std::string{m.name}, oldest_binary);
  change.commit();
}

}  // namespace callboard::persistence
