#include "persistence/postgres/errors.hpp"
#include "persistence/postgres/schema.hpp"
#include "tests/store/backends.hpp"
#include "tests/store/draft.hpp"
#include "tests/store/tcp_proxy.hpp"

#include <future>
#include <thread>

// Connections that break while a batch is sent, committed or answered.

// libpqxx 6.4 forgets to free the result of a prepared statement that lost its connection.
extern "C" const char* __lsan_default_suppressions() { return "leak:pqxx::connection_base::exec_prepared\n"; }

using namespace callboard;
using namespace callboard::persistence;
using namespace callboard::test;
using namespace std::chrono_literals;

namespace {

/// A store that connects through a proxy, and a session of the test that connects to the server directly.
struct remote {
  postgres on;
  tcp_proxy proxy{on.address()};
  std::unique_ptr<store> behind = make_store(on.url_at(proxy.address()));
  std::int64_t last = behind->open("node");
  pqxx::connection direct{on.url()};

  std::int64_t number(const std::string& sql) { return pqxx::nontransaction{direct}.exec1(sql)[0].as<std::int64_t>(); }
  /// Waits until the query returns that number.
  bool becomes(const std::string& sql, std::int64_t expected) {
    for (int i = 0; i < 2'000; ++i) {
      if (number(sql) == expected)
        return true;
      std::this_thread::sleep_for(2ms);
    }
    return false;
  }
  std::int64_t kill_writer() {
    return number("select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity"
                  " where datname = current_database() and application_name = 'callboard-writer'");
  }
};

constexpr auto last_batch = "select batch from writers";
constexpr auto events = "select count(*) from journal";
constexpr auto waiting_for_a_lock =
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

}  // namespace

TEST_CASE("a batch whose backend was killed is in doubt and is sent again", "[store][postgres]") {
  remote s;
  REQUIRE(s.behind->commit(draft{1}.event("1", 0)).how == commit_status::committed);
  REQUIRE(s.kill_writer() == 1);
  draft d{2};
  d.event("1", 1);
  const auto out = s.behind->commit(d);
  CHECK((out.how == commit_status::unknown || out.how == commit_status::down));
  CHECK(s.behind->commit(d).how == commit_status::down);  // that connection is not used again
  CHECK_THROWS_AS(s.behind->write("delete from ids", {}, [](const result_row&) {}), store_error);
  CHECK(s.behind->reconnect() == 1);
  CHECK(s.behind->commit(d).how == commit_status::committed);
  CHECK(s.number(events) == 2);
}

TEST_CASE("a batch whose reply was lost commits exactly once", "[store][postgres]") {
  remote s;
  // Same tables as in the batch under test, so that the statement is already prepared and the lost reply is the
  // commit's.
  REQUIRE(s.behind->commit(draft{1}.event("1", 0).put(person(9, "grace@example.com"))).how == commit_status::committed);
  draft d{2};
  d.event("1", 1).event("2", 0).put(person(1, "ada@example.com"));
  s.proxy.lose_replies();
  auto sent = std::async(std::launch::async, [&] { return s.behind->commit(d); });
  CHECK(s.becomes(last_batch, 2));
  s.proxy.cut();
  CHECK(sent.get().how == commit_status::unknown);
  s.proxy.forward();
  CHECK(s.behind->reconnect() == 2);
  const auto again = s.behind->commit(d);
  CHECK(again.how == commit_status::committed);
  CHECK(again.last_position == 3);
  CHECK(s.number(events) == 3);
  CHECK(s.behind->commit(draft{3}.event("1", 2)).how == commit_status::committed);
}

TEST_CASE("a statement that outlives its connection cannot commit late", "[store][postgres]") {
  remote s;
  REQUIRE(s.behind->commit(draft{1}.event("1", 0)).how == commit_status::committed);
  pqxx::connection rival{s.on.url()};
  auto holding = std::make_unique<pqxx::work>(rival);
  holding->exec("select from heads where key = '1' for update");

  draft d{2};
  d.event("1", 1).put(person(1, "ada@example.com"));
  auto sent = std::async(std::launch::async, [&] { return s.behind->commit(d); });
  REQUIRE(s.becomes(waiting_for_a_lock, 1));
  s.proxy.cut();
  CHECK(sent.get().how == commit_status::unknown);
  CHECK(s.number(waiting_for_a_lock) == 1);  // the server has not noticed the lost connection

  CHECK(s.behind->reconnect() == 1);
  CHECK(s.number(waiting_for_a_lock) == 0);  // its backend was ended
  auto again = std::async(std::launch::async, [&] { return s.behind->commit(d); });
  REQUIRE(s.becomes(waiting_for_a_lock, 1));
  holding->commit();
  CHECK(again.get().how == commit_status::committed);
  CHECK(s.number(events) == 2);
  CHECK(s.number(last_batch) == 2);
}

TEST_CASE("a connection that stops answering is given up", "[store][postgres]") {
  remote s;
  REQUIRE(s.behind->commit(draft{1}.event("1", 0)).how == commit_status::committed);
  draft d{2};
  d.event("1", 1);
  s.proxy.go_silent();
  const auto begun = std::chrono::steady_clock::now();
  CHECK(s.behind->commit(d).how == commit_status::unknown);
  CHECK(std::chrono::steady_clock::now() - begun < 10s);
  CHECK_THROWS_AS(s.behind->reconnect(), store_error);
  s.proxy.cut();
  s.proxy.forward();
  CHECK(s.behind->reconnect() == 1);
  CHECK(s.behind->commit(d).how == commit_status::committed);
  CHECK(s.number(events) == 2);
}

TEST_CASE("an unreachable server is down at once", "[store][postgres]") {
  remote s;
  const auto reader = s.behind->open_reader();
  const auto count = [&] {
    std::int64_t n = -1;
    reader->query("select count(*) from journal", {}, [&](const result_row& r) { n = r.integer(0); });
    return n;
  };
  CHECK(count() == 0);
  s.proxy.refuse(true);
  s.proxy.cut();
  draft d{1};
  d.event("1", 0);
  CHECK(s.behind->commit(d).how == commit_status::unknown);
  CHECK_THROWS_AS(s.behind->reconnect(), store_error);
  CHECK(s.behind->commit(d).how == commit_status::down);
  CHECK_THROWS_AS(count(), store_error);
  CHECK_THROWS_AS(count(), store_error);
  s.proxy.refuse(false);
  CHECK(s.behind->reconnect() == 0);
  CHECK(s.behind->commit(d).how == commit_status::committed);
  CHECK(count() == 1);
}

TEST_CASE("a lock lost to another server is not taken back", "[store][postgres]") {
  remote s;
  REQUIRE(s.kill_writer() == 1);
  const auto key = std::to_string(static_cast<std::int64_t>(session_lock::writer));
  pqxx::nontransaction{s.direct}.exec("select pg_advisory_lock(" + key + ")");
  CHECK_THROWS_AS(s.behind->reconnect(), store_in_use);
  CHECK(s.behind->commit(draft{1}.event("1", 0)).how == commit_status::down);
  pqxx::nontransaction{s.direct}.exec("select pg_advisory_unlock(" + key + ")");
  CHECK(s.behind->reconnect() == 0);
}

TEST_CASE("a cancelled statement did not commit", "[store][postgres]") {
  remote s;
  REQUIRE(s.behind->commit(draft{1}.event("1", 0)).how == commit_status::committed);
  pqxx::connection rival{s.on.url()};
  pqxx::work holding{rival};
  holding.exec("select from heads where key = '1' for update");
  draft d{2};
  d.event("1", 1);
  auto sent = std::async(std::launch::async, [&] { return s.behind->commit(d); });
  REQUIRE(s.becomes(waiting_for_a_lock, 1));
  s.number("select count(pg_cancel_backend(pid)) from pg_stat_activity"
           " where datname = current_database() and application_name = 'callboard-writer'");
  CHECK(sent.get().how == commit_status::transient);
  holding.commit();
  CHECK(s.behind->commit(d).how == commit_status::committed);
  CHECK(s.number(events) == 2);
}

TEST_CASE("a server that may lose commits is reported as degraded", "[store][postgres]") {
  const postgres on;
  {
    pqxx::connection c{on.url()};
    pqxx::nontransaction{c}.exec("do $$ begin execute format('alter database %I set synchronous_commit = off',"
                                 " current_database()); end $$");
  }
  const auto s = make_store(on.url());
  s->open("node");
  CHECK(s->durability() == "degraded");
}

TEST_CASE("a current schema is opened without changing anything", "[store][postgres]") {
  const postgres on;
  make_store(on.url())->open("node");
  // DDL would need this lock.
  pqxx::connection c{on.url()};
  pqxx::nontransaction{c}.exec("select pg_advisory_lock(" +
                               std::to_string(static_cast<std::int64_t>(session_lock::migrations)) + ")");
  // No DDL; but the writer's row takes a step of two, by which a previous writer finds that it was replaced.
  CHECK(make_store(on.url())->open("node") == 2);
}

TEST_CASE("what an SQLSTATE means for a batch", "[store]") {
  const auto of = [](std::string state) { return status_of(postgres_failure{std::move(state), "ERROR:  x\n"}); };
  for (const auto* state : {"40001", "40P01", "53200", "53400", "57014", "55P03", "XX000", "42P01"})
    CHECK(of(state) == commit_status::transient);
  for (const auto* state : {"22P02", "22021", "23502", "23505", "54000", "21000"})
    CHECK(of(state) == commit_status::poison);
  for (const auto* state : {"", "57P01", "57P02", "08006", "08P01"})
    CHECK(of(state) == commit_status::unknown);
  CHECK(of("53100") == commit_status::full);
  CHECK(of("25006") == commit_status::down);
}
