// The classical work queue on PostgreSQL, without HTTP: a table, FOR UPDATE SKIP LOCKED, prepared statements, a commit
// per statement; prints one JSON line.
//
//   enqueue    make the table and fill it
//                --jobs=10000 --data=100
//   work       claim and complete again and again, until the time is up or the table is empty
//                --seconds=5 --warm-up=0.5
//
// Both take --style=usual|lean|bare --database=postgresql://... --clients=64 --batch=1 --postgres=POSTMASTER.
//
// `usual` is what one would write: uuids, a status, an index for what waits and one for leases that end. `lean` has
// every advantage: ids are numbers, nothing finds a lost lease, and the index knows only whether there is a lease, so
// that a completion stays in its page. `bare` is the same and keeps nothing: a completed job is deleted. None of them
// has a journal.
#include "bench/database_clients.hpp"
#include "bench/jobs.hpp"
#include "bench/program.hpp"
#include "bench/target.hpp"
#include "persistence/postgres/array_literal.hpp"

#include <pqxx/pqxx>

#include <atomic>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace bench {
namespace {

/// A way to keep a queue in a table. All statements take the same parameters.
struct style {
  std::string_view name;
  const char* schema;
  const char* enqueue_one;    ///< now, data
  const char* enqueue_many;   ///< now, array of data
  const char* claim_one;      ///< token, end of the lease, worker, now
  const char* claim_many;     ///< and how many
  const char* complete_one;   ///< id, token, now
  const char* complete_many;  ///< array of ids, token, now
  const char* left;           ///< how many are not complete
};

constexpr style usual{
    .name = "usual",
    .schema = "create table jobs ("
              "  id uuid primary key default gen_random_uuid(),"
              "  status text not null default 'pending',"
              "  job_type text not null,"
              "  weight integer not null,"
              "  attempts integer not null default 0,"
              "  created_at bigint not null,"
              "  updated_at bigint not null,"
              "  claimed_at bigint,"
              "  completed_at bigint,"
              "  worker_id text,"
              "  lease_token uuid,"
              "  lease_expires_at bigint,"
              "  data jsonb not null"
              ") with (fillfactor = 60);"
              "create index jobs_pending on jobs (weight desc, created_at, id) where status = 'pending';"
              "create index jobs_leases on jobs (lease_expires_at) where status = 'processing'",
    .enqueue_one = "insert into jobs (created_at, updated_at, weight, job_type, data) "
                   "values ($1::bigint, $1, 5, 'bench', $2::jsonb)",
    .enqueue_many = "insert into jobs (created_at, updated_at, weight, job_type, data) "
                    "select $1::bigint, $1, 5, 'bench', d::jsonb from unnest($2::text[]) d",
    .claim_one = "update jobs set status = 'processing', lease_token = $1, lease_expires_at = $2, worker_id = $3, "
                 "claimed_at = $4::bigint, updated_at = $4 where id = (select id from jobs where status = 'pending' "
                 "order by weight desc, created_at, id for update skip locked limit 1) returning id, data",
    .claim_many = "update jobs set status = 'processing', lease_token = $1, lease_expires_at = $2, worker_id = $3, "
                  "claimed_at = $4::bigint, updated_at = $4 where id = any(array(select id from jobs where status = "
                  "'pending' order by weight desc, created_at, id for update skip locked limit $5)) returning id, data",
    .complete_one = "update jobs set status = 'complete', lease_expires_at = null, completed_at = $3::bigint, "
                    "updated_at = $3 where id = $1 and lease_token = $2 and status = 'processing'",
    .complete_many = "update jobs set status = 'complete', lease_expires_at = null, completed_at = $3::bigint, "
                     "updated_at = $3 where id = any($1::uuid[]) and lease_token = $2 and status = 'processing'",
    .left = "select count(*) from jobs where status <> 'complete'"};

constexpr style lean{
    .name = "lean",
    .schema = "create table jobs ("
              "  id bigint generated always as identity primary key,"
              "  created_at bigint not null,"
              "  lease_expires_at bigint,"
              "  completed_at bigint,"
              "  lease_token uuid,"
              "  weight smallint not null,"
              "  attempts smallint not null default 0,"
              "  job_type text not null,"
              "  worker_id text,"
              "  data text not null"
              ") with (fillfactor = 60);"
              "create index jobs_waiting on jobs (weight desc, created_at, id) where lease_token is null",
    .enqueue_one = "insert into jobs (created_at, weight, job_type, data) values ($1, 5, 'bench', $2)",
    .enqueue_many = "insert into jobs (created_at, weight, job_type, data) "
                    "select $1, 5, 'bench', d from unnest($2::text[]) d",
    .claim_one =
        "update jobs set lease_token = $1, lease_expires_at = $2, worker_id = $3 where $4::bigint > 0 and id = "
        "(select id from jobs where lease_token is null order by weight desc, created_at, id "
        "for update skip locked limit 1) returning id, data",
    .claim_many =
        "update jobs set lease_token = $1, lease_expires_at = $2, worker_id = $3 where $4::bigint > 0 and id = "
        "any(array(select id from jobs where lease_token is null order by weight desc, created_at, id "
        "for update skip locked limit $5)) returning id, data",
    .complete_one = "update jobs set completed_at = $3 where id = $1 and lease_token = $2 and completed_at is null",
    .complete_many = "update jobs set completed_at = $3 "
                     "where id = any($1::bigint[]) and lease_token = $2 and completed_at is null",
    .left = "select count(*) from jobs where completed_at is null"};

constexpr style bare = [] {
  auto s = lean;
  s.name = "bare";
  s.complete_one = "delete from jobs where id = $1 and lease_token = $2 and $3::bigint > 0";
  s.complete_many = "delete from jobs where id = any($1::bigint[]) and lease_token = $2 and $3::bigint > 0";
  s.left = "select count(*) from jobs";
  return s;
}();

const style& style_in(options& given) {
  const auto name = given.text("style", "lean");
  for (const auto* one : {&usual, &lean, &bare})
    if (one->name == name)
      return *one;
  throw std::invalid_argument("--style must be usual, lean or bare");
}

struct setting {
  std::string database;
  const style& how;
  std::int64_t clients;
  std::int64_t batch;
};

/// One connection that puts jobs in.
class producer {
public:
  producer(const setting& s, std::size_t bytes, std::int64_t jobs, std::atomic<std::int64_t>& next)
      : batch_{s.batch}, bytes_{bytes}, jobs_{jobs}, next_{next}, db_{s.database} {
    db_.prepare("enqueue", batch_ == 1 ? s.how.enqueue_one : s.how.enqueue_many);
  }

  std::uint64_t step() {
    const auto first = next_.fetch_add(batch_, std::memory_order_relaxed);
    const auto count = std::min(batch_, jobs_ - first);
    if (count <= 0)
      return 0;
    data_.clear();
    if (batch_ == 1)
      append_data(data_, first, bytes_);
    else
      array(first, count);
    pqxx::nontransaction{db_}.exec_prepared0("enqueue", now_ms(), data_);
    return static_cast<std::uint64_t>(count);
  }

private:
  void array(std::int64_t first, std::int64_t count) {
    std::vector<std::string> all(static_cast<std::size_t>(count));
    for (auto& one : all)
      append_data(one, first++, bytes_);
    callboard::persistence::append_array(
        data_, all, [&](const std::string& one) { callboard::persistence::append_item(data_, std::string_view{one}); });
  }

  std::int64_t batch_;
  std::size_t bytes_;
  std::int64_t jobs_;
  std::atomic<std::int64_t>& next_;
  pqxx::connection db_;
  std::string data_;
};

/// One connection that takes jobs and completes them.
class worker {
public:
  worker(const setting& s, unsigned number)
      : batch_{s.batch}, name_{"worker-" + std::to_string(number)}, random_{number}, db_{s.database} {
    db_.prepare("claim", batch_ == 1 ? s.how.claim_one : s.how.claim_many);
    db_.prepare("complete", batch_ == 1 ? s.how.complete_one : s.how.complete_many);
  }

  std::uint64_t step() {
    const auto token = fresh_token();
    const auto found = claim(token);
    if (found.empty())
      return 0;
    const auto completed = complete(ids_in(found), token);
    if (completed != found.size())
      throw std::runtime_error("a lease was lost");
    return static_cast<std::uint64_t>(completed);
  }

private:
  pqxx::result claim(const std::string& token) {
    pqxx::nontransaction tx{db_};
    const auto now = now_ms();
    const auto until = now + lease_s * 1'000;
    return batch_ == 1 ? tx.exec_prepared("claim", token, until, name_, now)
                       : tx.exec_prepared("claim", token, until, name_, now, batch_);
  }

  std::string ids_in(const pqxx::result& found) const {
    if (batch_ == 1)
      return found[0][0].c_str();
    std::string out;
    callboard::persistence::append_array(out, found, [&](const auto& row) { out += row[0].c_str(); });
    return out;
  }

  pqxx::result::size_type complete(const std::string& ids, const std::string& token) {
    return pqxx::nontransaction{db_}.exec_prepared0("complete", ids, token, now_ms()).affected_rows();
  }

  /// One per claim, whatever it takes.
  std::string fresh_token() {
    char digits[33];
    std::snprintf(digits, sizeof digits, "%016lx%016lx", static_cast<unsigned long>(random_()),
                  static_cast<unsigned long>(random_()));
    return digits;
  }

  std::int64_t batch_;
  std::string name_;
  std::mt19937_64 random_;
  pqxx::connection db_;
};

setting setting_in(options& given) {
  const setting s{.database = given.text("database"),
                  .how = style_in(given),
                  .clients = given.integer("clients", 64, 1, 150),
                  .batch = given.integer("batch", 1, 1, 1'000)};
  if (s.database.empty())
    throw std::invalid_argument("--database=postgresql://… is missing");
  return s;
}

void enqueue(options& given) {
  const auto s = setting_in(given);
  cpu_meter cpu{0, process_in(given, "postgres")};
  const auto jobs = given.integer("jobs", 10'000, 1, 10'000'000);
  const auto bytes = static_cast<std::size_t>(given.integer("data", 100, 32, 100'000));
  given.finish();
  pqxx::connection db{s.database};
  pqxx::nontransaction{db}.exec(s.how.schema);
  std::atomic<std::int64_t> next = 0;
  database_clients clients{s.clients, [&](unsigned) -> database_clients::task {
                             auto one = std::make_shared<producer>(s, bytes, jobs, next);
                             return [one] { return one->step(); };
                           }};
  const auto metrics = clients.run(0, phase_s_max, cpu);
  pqxx::nontransaction{db}.exec("analyze jobs");
  std::cout << job_metrics(metrics.done_in_all, metrics.done_in_all, metrics.steps, cpu.used()).dump() << std::endl;
}

std::uint64_t left(const setting& s) {
  pqxx::connection db{s.database};
  return pqxx::nontransaction{db}.exec1(s.how.left)[0].as<std::uint64_t>();
}

void work(options& given) {
  const auto s = setting_in(given);
  cpu_meter cpu{0, process_in(given, "postgres")};
  const auto seconds = given.real("seconds", 5, 0.1, phase_s_max);
  const auto warm_up = given.real("warm-up", 0.5, 0, 60);
  given.finish();
  database_clients clients{s.clients, [&](unsigned number) -> database_clients::task {
                             auto one = std::make_shared<worker>(s, number);
                             return [one] { return one->step(); };
                           }};
  const auto before = left(s);
  const auto metrics = clients.run(warm_up, seconds, cpu);
  if (left(s) != before - metrics.done_in_all)
    throw std::runtime_error("the table does not hold what was completed");
  std::cout << job_metrics(metrics.done, metrics.done_in_all, metrics.steps, cpu.used()).dump() << std::endl;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
  return run_mode("skip_locked", argc, argv, {{"enqueue", enqueue}, {"work", work}});
}
