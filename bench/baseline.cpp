// The classical way on PostgreSQL, without HTTP: each apply is a transaction that locks its
// opening. Writes the rows that Callboard writes, in Callboard's own schema, with prepared
// statements.
//
//   --database=postgresql://... (empty) --openings=1 --capacity=100 --clients=32
//   --seconds=5 --warm-up=0.5 --style=steps|lean --postgres=POSTMASTER
//
// `steps` has a statement per step. `lean` finds the applicant before it locks and writes
// everything in one statement: the lock can hardly be held for less.
#include "bench/database_clients.hpp"
#include "bench/program.hpp"
#include "bench/schema.hpp"

#include <pqxx/pqxx>

#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <tuple>

namespace bench {
namespace {

constexpr std::int64_t applications_per_opening = 10'000'000;

struct setting {
  std::string database;
  std::int64_t openings;
  std::int64_t clients;
  std::int64_t capacity;
  double seconds;
  double warm_up;
  bool lean;
};

void make_tables(const setting& s) {
  make_schema(s.database);
  pqxx::connection db{s.database};
  pqxx::work tx{db};
  tx.exec("create sequence bench_applicants cache 100");
  tx.exec_params("insert into openings select i, 'Bench opening ' || i, null, $1, 300, false, 600, "
                 "'open', null, $2 "
                 "from generate_series(1, $3::bigint) i",
                 s.capacity, now_ms(), s.openings);
  tx.exec_params("insert into opening_counts select i, 0, 0, 0, 0, 0, null, null, '', 0, 0, 0, 0, 0, 1 "
                 "from generate_series(1, $1::bigint) i",
                 s.openings);
  tx.commit();
  pqxx::nontransaction{db}.exec("vacuum analyze");
}

constexpr const char* lock_sql =
    "select o.capacity, o.phase, c.active, c.pending, c.waiting, c.total, c.tail, c.version "
    "from openings o join opening_counts c on c.id = o.id where o.id = $1 for update of c";
constexpr const char* applicant_sql =
    "insert into applicants (id, name, email, created_at) values (nextval('bench_applicants'), $1, "
    "$2, $3) "
    "on conflict (email) do update set email = excluded.email returning id";
constexpr const char* duplicate_sql = "select 1 from applications where applicant = $1 and id "
                                      "between $2 and $3 and status <> 'INACTIVE'";
constexpr const char* application_sql =
    "insert into applications (id, applicant, status, rank, penalty, applied_at, promoted_at, "
    "deadline, since, reason) "
    "values ($1, $2, $3, $4, 0, $5, null, null, $5, null)";
constexpr const char* journal_sql =
    "insert into journal (kind, key, seq, type, at, subject, actor_type, actor_id, reason, trace, "
    "request, data, hash) "
    "values ('opening', $1, $2, 'APPLIED', $3, $4, 'applicant', '', '', $5, $6, $7, $8)";
constexpr const char* counts_sql = "update opening_counts set active = $2, waiting = $3, total = "
                                   "$4, tail = $5, version = $6 where id = $1";
constexpr const char* all_sql =
    "with a as (insert into applications (id, applicant, status, rank, penalty, applied_at, "
    "promoted_at, deadline, since, "
    "reason) values ($1, $2, $3, $4, 0, $5, null, null, $5, null)), "
    "j as (insert into journal (kind, key, seq, type, at, subject, actor_type, actor_id, reason, "
    "trace, request, data, hash) "
    "values ('opening', $6, $7, 'APPLIED', $5, $8, 'applicant', '', '', $9, $10, $11, $12)) "
    "update opening_counts set active = $13, waiting = $14, total = $15, tail = $16, version = $7 "
    "where id = $17";

/// A line of the journal as an apply leaves it.
struct line {
  std::string subject;
  std::string trace;
  std::string request;
  std::string data;
  std::string hash;  ///< 32 bytes
};

/// Everything an apply finds out under the lock and writes.
struct entry {
  std::int64_t opening;
  std::int64_t id;
  std::int64_t applicant;
  bool waits;
  std::optional<std::int64_t> rank;
  std::int64_t active;
  std::int64_t waiting;
  std::int64_t total;
  std::int64_t tail;
  std::int64_t version;
  std::int64_t at;

  const char* status() const { return waits ? "WAITLIST" : "ACTIVE"; }
};

class client {
public:
  client(const setting& s, std::atomic<std::int64_t>& people, unsigned seed)
      : lean_{s.lean}, openings_{s.openings}, people_{people}, random_{seed}, db_{s.database} {
    for (const auto& [name, sql] : {std::pair{"lock", lock_sql},
                                    {"applicant", applicant_sql},
                                    {"duplicate", duplicate_sql},
                                    {"application", application_sql},
                                    {"journal", journal_sql},
                                    {"counts", counts_sql},
                                    {"all", all_sql}})
      db_.prepare(name, sql);
  }

  void apply() {
    const auto person = people_.fetch_add(1, std::memory_order_relaxed) + 1;
    const auto opening = person % openings_ + 1;
    pqxx::work tx{db_};
    if (lean_) {
      const auto applicant = find_or_create(tx, person);
      auto e = take_slot(tx, opening);
      e.applicant = applicant;
      refuse_double(tx, e);
      write_at_once(tx, e);
    } else {
      auto e = take_slot(tx, opening);
      e.applicant = find_or_create(tx, person);
      refuse_double(tx, e);
      write_in_steps(tx, e);
    }
    tx.commit();
  }

private:
  std::int64_t find_or_create(pqxx::work& tx, std::int64_t person) {
    const auto number = std::to_string(person);
    return tx.exec_prepared1("applicant", "Bench " + number, "u" + number + "@bench.example", now_ms())[0]
        .as<std::int64_t>();
  }

  static entry take_slot(pqxx::work& tx, std::int64_t opening) {
    const auto found = tx.exec_prepared1("lock", opening);
    const auto column = [&](const char* name) { return found[name].as<std::int64_t>(); };
    if (found["phase"].as<std::string>() != "open")
      throw std::runtime_error("the opening is closed");
    const auto active = column("active");
    const auto waiting = column("waiting");
    const auto total = column("total");
    const auto tail = column("tail");
    const bool waits = active + column("pending") >= column("capacity") || waiting > 0;
    return {.opening = opening,
            .id = opening * applications_per_opening + total + 1,
            .applicant = 0,
            .waits = waits,
            .rank = waits ? std::optional{tail + 1} : std::nullopt,
            .active = active + (waits ? 0 : 1),
            .waiting = waiting + (waits ? 1 : 0),
            .total = total + 1,
            .tail = tail + (waits ? 1 : 0),
            .version = column("version") + 1,
            .at = now_ms()};
  }

  static void refuse_double(pqxx::work& tx, const entry& e) {
    const auto first = e.opening * applications_per_opening;
    if (!tx.exec_prepared("duplicate", e.applicant, first, first + applications_per_opening - 1).empty())
      throw std::runtime_error("applied already");
  }

  line explain(const entry& e) {
    line out{.subject = std::to_string(e.id), .trace = {}, .request = {}, .data = {}, .hash = {}};
    char digits[33];
    std::snprintf(digits, sizeof digits, "%016lx%016lx", static_cast<unsigned long>(random_()),
                  static_cast<unsigned long>(random_()));
    out.trace = digits;
    out.request = out.trace.substr(0, 16);
    const auto number = [](std::optional<std::int64_t> x) { return x ? std::to_string(*x) : std::string{"null"}; };
    out.data = R"({"applicationId":)" + out.subject + R"(,"applicantId":)" + std::to_string(e.applicant) +
               R"(,"status":")" + e.status() + R"(","rank":)" + number(e.rank) + R"(,"position":)" +
               number(e.waits ? std::optional{e.waiting} : std::nullopt) + R"(,"acknowledgeDeadline":null})";
    for (int i = 0; i < 4; ++i) {
      auto bits = random_();
      for (int k = 0; k < 8; ++k, bits >>= 8)
        out.hash.push_back(static_cast<char>(bits & 0xff));
    }
    return out;
  }

  void write_in_steps(pqxx::work& tx, const entry& e) {
    const auto l = explain(e);
    tx.exec_prepared0("application", e.id, e.applicant, e.status(), e.rank, e.at);
    tx.exec_prepared0("journal", std::to_string(e.opening), e.version, e.at, l.subject, l.trace, l.request, l.data,
                      pqxx::binarystring{l.hash});
    tx.exec_prepared0("counts", e.opening, e.active, e.waiting, e.total, e.tail, e.version);
  }

  void write_at_once(pqxx::work& tx, const entry& e) {
    const auto l = explain(e);
    tx.exec_prepared0("all", e.id, e.applicant, e.status(), e.rank, e.at, std::to_string(e.opening), e.version,
                      l.subject, l.trace, l.request, l.data, pqxx::binarystring{l.hash}, e.active, e.waiting, e.total,
                      e.tail, e.opening);
  }

  bool lean_;
  std::int64_t openings_;
  std::atomic<std::int64_t>& people_;
  std::mt19937_64 random_;
  pqxx::connection db_;
};

/// What must hold after any run: nobody above the capacity, no gap, a journal line per application.
void audit(const setting& s, std::uint64_t applies) {
  pqxx::connection db{s.database};
  pqxx::nontransaction tx{db};
  const auto found = tx.exec1("select (select count(*) from applications), (select count(*) from journal), "
                              "(select count(*) from applicants), (select coalesce(sum(total), 0)::bigint from "
                              "opening_counts), "
                              "(select coalesce(max(active), 0) from opening_counts)");
  for (int i = 0; i < 4; ++i)
    if (found[i].as<std::uint64_t>() != applies)
      throw std::runtime_error("the database does not hold what was applied");
  if (found[4].as<std::int64_t>() > s.capacity)
    throw std::runtime_error("more live applications than slots");
}

void run(options given) {
  const auto style = given.text("style", "steps");
  const bool lean = style == "lean";
  if (!lean && style != "steps")
    throw std::invalid_argument("--style must be steps or lean");
  const setting s{.database = given.text("database"),
                  .openings = given.integer("openings", 1, 1, 100'000),
                  .clients = given.integer("clients", 32, 1, 150),
                  .capacity = given.integer("capacity", 100, 1, 1'000'000),
                  .seconds = given.real("seconds", 5, 0.1, 3'600),
                  .warm_up = given.real("warm-up", 0.5, 0, 60),
                  .lean = lean};
  const auto postmaster = static_cast<pid_t>(given.integer("postgres", 0, 0, INT32_MAX));
  given.finish();
  if (s.database.empty())
    throw std::invalid_argument("--database=postgresql://… is missing");
  make_tables(s);
  cpu_meter cpu{0, postmaster};
  std::atomic<std::int64_t> people = 0;
  database_clients clients{s.clients, [&](unsigned number) -> database_clients::task {
                             auto one = std::make_shared<client>(s, people, number);
                             return [one] {
                               one->apply();
                               return std::uint64_t{1};
                             };
                           }};
  const auto metrics = clients.run(s.warm_up, s.seconds, cpu).steps;
  audit(s, metrics.ok_in_all);
  auto out = to_json(metrics);
  out["tps"] = out["rps"];
  out.update(per_request(cpu, metrics.requests));
  std::cout << out.dump() << std::endl;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::exit_code_of("baseline", [&] { bench::run(bench::options{argc, argv, 1}); });
}
