#include "persistence/postgres/store.hpp"

#include "persistence/postgres/reader.hpp"
#include "persistence/postgres/schema.hpp"

namespace callboard::persistence {

namespace {

constexpr std::chrono::seconds open_patience{10};
constexpr std::chrono::seconds reconnect_patience{3};

const reader::row_sink ignore = [](const result_row&) {};

/// Turns exceptions of libpqxx into store_error.
template <class Act>
auto with_store_error(Act&& act) {
  try {
    return act();
  } catch (const pqxx::pqxx_exception& e) {
    throw store_error(loggable(failure_of(e.base())));
  }
}

}  // namespace

postgres_store::postgres_store(std::string url) : url_{std::move(url)} {}

std::int64_t postgres_store::open(std::string_view node) {
  node_ = node;
  return with_store_error([&] {
    connect(open_patience);
    {
      postgres_schema schema{*session_};
      migrate(schema, postgres_migrations());
    }
    // A step of two, which no batch makes: a process that wrote before us finds that its batch number is outdated.
    session_->query(
        "insert into writers as t (node, batch) values ($1, 0) on conflict (node) do update set batch = t.batch + 2",
        {node_}, ignore);
    return last_batch();
  });
}

void postgres_store::connect(std::chrono::milliseconds patience) {
  session_.reset();
  auto fresh = std::make_unique<postgres_session>(url_, postgres_session::role::writer, dog_);
  end_old_backends(*fresh);
  backends_.push_back(fresh->self());
  if (!take(*fresh, session_lock::writer, patience))
    throw store_in_use("another process is the writer of this database");
  durable_ = fresh->durable();
  session_ = std::move(fresh);
}

void postgres_store::end_old_backends(postgres_session& by) {
  for (const auto& old : backends_)
    by.query("select pg_terminate_backend(pid, 1000) from pg_stat_activity"
             " where pid = $1 and (extract(epoch from backend_start) * 1000000)::bigint = $2",
             {old.pid, old.started_us}, ignore);
  backends_.clear();
}

std::int64_t postgres_store::last_batch() {
  std::int64_t found = -1;
  session_->query("select batch from writers where node = $1", {node_},
                  [&](const result_row& r) { found = r.integer(0); });
  return found;
}

std::int64_t postgres_store::reconnect() {
  return with_store_error([&] {
    connect(reconnect_patience);
    session_->query("insert into writers (node, batch) values ($1, 0) on conflict do nothing", {node_}, ignore);
    return last_batch();
  });
}

commit_outcome postgres_store::commit(const batch& b) {
  if (!session_)
    return {.how = commit_status::down, .why = "no connection"};
  try {
    const auto answer = session_->run(statement_.text(b), statement_.bind(b, node_));
    return {.how = commit_status::committed,
            .last_position = answer[0][1].is_null() ? 0 : answer[0][1].as<std::int64_t>()};
  } catch (const pqxx::pqxx_exception& e) {
    return failed(b, failure_of(e.base()));
  }
}

commit_outcome postgres_store::failed(const batch& b, const postgres_failure& f) {
  try {
    if (f.state == "CB001")
      return not_moved(b);
    if (f.state == "CB002")
      return heads_moved(b, f);
    if (f.state == "CB003")
      return names_taken(b, f);
    if (f.state == "23505" && f.what.find("\"journal_entity_seq\"") != std::string::npos)
      return journal_collided(b, f);
  } catch (const pqxx::pqxx_exception& e) {
    session_.reset();
    return {.how = commit_status::unknown, .why = loggable(failure_of(e.base()))};
  }
  commit_outcome out{.how = status_of(f), .why = loggable(f)};
  if (ends_session(f) || !session_->connection().is_open())
    session_.reset();
  return out;
}

commit_outcome postgres_store::not_moved(const batch& b) {
  const auto found = last_batch();
  if (found == b.number) {
    commit_outcome out{.how = commit_status::committed, .why = "the batch had already committed"};
    session_->query("select coalesce(max(pos), 0) from journal", {},
                    [&](const result_row& r) { out.last_position = r.integer(0); });
    return out;
  }
  return {.how = found < b.number - 1 ? commit_status::backwards : commit_status::unknown,
          .why = "the writer's row is at " + std::to_string(found)};
}

void postgres_store::write(std::string_view sql, std::span<const sql_param> params, const reader::row_sink& sink) {
  if (!session_)
    throw store_error("postgresql has no connection");
  try {
    session_->query(sql, params, sink);
  } catch (const pqxx::pqxx_exception& e) {
    const auto f = failure_of(e.base());
    if (ends_session(f) || !session_->connection().is_open())
      session_.reset();
    throw store_error(loggable(f));
  }
}

std::unique_ptr<reader> postgres_store::open_reader() { return std::make_unique<postgres_reader>(url_, dog_); }

instant postgres_store::now(reader& on) {
  instant found;
  on.query("select (extract(epoch from clock_timestamp()) * 1000)::bigint", {},
           [&](const result_row& r) { found = from_ms(r.integer(0)); });
  return found;
}

}  // namespace callboard::persistence
