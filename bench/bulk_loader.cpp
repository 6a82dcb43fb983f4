// The rows of Callboard's work queue, written by somebody who decides nothing: an upper bound for what any queue with
// these tables can reach. One statement with array parameters per commit, without a fence; prints one JSON line.
//
//   enqueue    make the schema and write new jobs
//                --data=100
//   work       write what claims and completions write, until the time is up or all jobs are complete
//                --seconds=5 --warm-up=0.5
//
// Both take --jobs=10000 --batch=100 --database=postgresql://... --clients=2 --postgres=POSTMASTER. Each client has a
// queue of its own, so none waits for another's head. Columns are read from the catalogue and filled by their names.
#include "bench/database_clients.hpp"
#include "bench/jobs.hpp"
#include "bench/program.hpp"
#include "bench/schema.hpp"
#include "bench/target.hpp"
#include "persistence/postgres/array_literal.hpp"

#include <pqxx/pqxx>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {
namespace {

using callboard::persistence::append_item;
using callboard::persistence::append_null_item;

struct setting {
  std::string database;
  std::int64_t clients;
  std::int64_t batch;
  std::int64_t jobs;
  std::size_t bytes;
};

struct column {
  std::string name;
  std::string type;
  bool nullable;
};

struct table {
  std::string name;
  std::vector<column> columns;
};

table table_of(pqxx::connection& db, const std::string& name) {
  table out{name, {}};
  for (const auto& row : pqxx::nontransaction{db}.exec_params(
           "select a.attname, format_type(a.atttypid, null), not a.attnotnull from pg_attribute a "
           "where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped "
           "order by case a.attname when 'queue' then 0 when 'id' then 1 else 2 end, a.attnum",
           name))
    out.columns.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<bool>()});
  if (out.columns.empty())
    throw std::runtime_error("there is no table " + name);
  return out;
}

enum class phase { pending, processing, complete };

/// One job as its rows have it.
struct job {
  std::int64_t number;
  std::string id;
};

/// Splitmix64: as good as chance, and the same for the same number.
unsigned long scattered(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// In order of their making, as Callboard's ids are: UUIDs of version 7.
std::string id_of(std::int64_t number) {
  const auto order = static_cast<unsigned long>(number);
  const auto chance = scattered(order);
  char text[48];
  std::snprintf(text, sizeof text, "019a%04lx-%04lx-7%03lx-a%03lx-%012lx", (order >> 28) & 0xffff,
                (order >> 12) & 0xffff, order & 0xfff, (chance >> 48) & 0xfff, chance & 0xffffffffffff);
  return text;
}

/// What the rows of one batch share.
struct batch_values {
  const std::string& queue;
  phase now;
  std::int64_t at;
  std::int64_t token;
  std::size_t bytes;
};

/// A column's value as text, or nothing where the row has none.
std::optional<std::string> value_of(const column& c, const job& j, const batch_values& o) {
  const auto& name = c.name;
  const bool held = o.now != phase::pending;
  const auto time = [&](bool known) { return known ? std::optional{std::to_string(o.at)} : std::nullopt; };
  if (name == "queue")
    return o.queue;
  if (name == "id")
    return j.id;
  if (name == "job_type")
    return "bench";
  if (name == "status")
    return o.now == phase::pending ? "pending" : o.now == phase::processing ? "processing" : "complete";
  if (name == "weight" || name == "priority")
    return "5";
  if (name == "max_attempts")
    return "4";
  if (name == "run_at" || name == "created_at" || name == "updated_at" || name == "completed_at")
    return time(true);
  if (name == "claimed_at" || name == "lease_until")
    return time(held);
  if (name == "worker")
    return held ? std::optional<std::string>{"bench"} : std::nullopt;
  if (name == "token")
    return held ? std::optional{std::to_string(o.token)} : std::nullopt;
  if (name == "lease_ms")
    return held ? std::optional{std::to_string(lease_s * 1'000)} : std::nullopt;
  if (name == "content")
    return std::to_string(scattered(static_cast<std::uint64_t>(j.number)) >> 1);
  if (name == "metadata")
    return "{}";
  if (name == "data") {
    std::string data;
    append_data(data, j.number, o.bytes);
    return data;
  }
  if (c.nullable)
    return std::nullopt;
  return c.type == "boolean" ? "f" : c.type == "text" ? "" : "0";
}

/// One statement and its parameters, built part by part.
class statement {
public:
  std::string parameter(std::string_view type) { return "$" + std::to_string(++count_) + "::" + std::string{type}; }

  void part(const std::string& sql) {
    sql_ += (sql_.empty() ? "with p" : ", p") + std::to_string(parts_++) + " as (" + sql + ")";
  }

  /// Comes first; `loader::begin` has its parameters.
  void spine() {
    part("update writers set batch = batch + 1 where node = $1::text");
    part("update heads set seq = $2::bigint, at = $4::bigint, hash = $8::bytea where kind = 'queue' and key = $1");
    part("insert into journal (kind, key, seq, type, at, subject, actor_type, actor_id, reason, trace, request, data, "
         "hash) values ('queue', $1, $2, $3::text, $4, null, 'worker', 'bench', '', $5::text, $6::text, $7::text, $8)");
    count_ = 8;
  }

  void insert(const table& t) { part(inserted(t)); }

  void upsert(const table& t) {
    std::string changes;
    for (std::size_t i = 2; i < t.columns.size(); ++i)
      changes += (changes.empty() ? "" : ", ") + t.columns[i].name + " = excluded." + t.columns[i].name;
    part(inserted(t) + " on conflict (queue, id) do update set " + changes);
  }

  void erase(const table& t) {
    const auto queues = parameter(t.columns[0].type + "[]");
    const auto ids = parameter(t.columns[1].type + "[]");
    part("delete from " + t.name + " t using unnest(" + queues + ", " + ids +
         ") as e(queue, id) where t.queue = e.queue and t.id = e.id");
  }

  std::string text() const { return sql_ + " select 1"; }

private:
  std::string inserted(const table& t) {
    std::string names;
    std::string arrays;
    for (const auto& c : t.columns) {
      names += (names.empty() ? "" : ", ") + c.name;
      arrays += (arrays.empty() ? "" : ", ") + parameter(c.type + "[]");
    }
    return "insert into " + t.name + " (" + names + ") select * from unnest(" + arrays + ")";
  }

  std::string sql_;
  int count_ = 0;
  int parts_ = 0;
};

/// One connection and its queue: its jobs are those whose batch falls to it.
class loader {
public:
  loader(const setting& s, unsigned number)
      : s_{s}, number_{number}, queue_{"bench-" + std::to_string(number)}, random_{number}, db_{s.database},
        jobs_{table_of(db_, "work_jobs")}, payloads_{table_of(db_, "work_payloads")}, finished_{table_of(
                                                                                          db_, "work_finished")} {
    prepare("enqueue", [&](statement& to) { to.insert(payloads_), to.insert(jobs_); });
    prepare("claim", [&](statement& to) { to.upsert(jobs_); });
    prepare("complete", [&](statement& to) { to.erase(jobs_), to.insert(finished_); });
    pqxx::nontransaction tx{db_};
    tx.exec_params0("insert into writers values ($1, 0) on conflict do nothing", queue_);
    tx.exec_params0("insert into heads values ('queue', $1, 0, 0, '') on conflict do nothing", queue_);
    seq_ = tx.exec_params1("select seq from heads where kind = 'queue' and key = $1", queue_)[0].as<std::int64_t>();
  }

  std::uint64_t enqueue() {
    const auto batch = next_batch();
    if (batch.empty())
      return 0;
    const batch_values o{queue_, phase::pending, now_ms(), 0, s_.bytes};
    begin("ENQUEUED", new_jobs_json(batch), o);
    put(payloads_, batch, o, payloads_.columns.size());
    put(jobs_, batch, o, jobs_.columns.size());
    send("enqueue");
    return batch.size();
  }

  std::uint64_t claim_and_complete() {
    const auto batch = next_batch();
    if (batch.empty())
      return 0;
    const batch_values claim{queue_, phase::processing, now_ms(), seq_ + 1, s_.bytes};
    begin("CLAIMED",
          R"({"worker":"bench","token":)" + std::to_string(claim.token) + R"(,"length_ms":)" +
              std::to_string(lease_s * 1'000) + R"(,"until":)" + std::to_string(claim.at) + R"(,"jobs":)" +
              ids_json(batch) + "}",
          claim);
    put(jobs_, batch, claim, jobs_.columns.size());
    send("claim");
    const batch_values end{queue_, phase::complete, now_ms(), claim.token, s_.bytes};
    begin("COMPLETED", R"({"jobs":)" + ids_json(batch) + "}", end);
    put(jobs_, batch, end, 2);
    put(finished_, batch, end, finished_.columns.size());
    send("complete");
    return batch.size();
  }

private:
  template <class Parts>
  void prepare(const char* name, Parts&& parts) {
    statement s;
    s.spine();
    parts(s);
    db_.prepare(name, s.text());
  }

  std::vector<job> next_batch() {
    const auto first = (turn_++ * s_.clients + number_ - 1) * s_.batch;
    std::vector<job> out;
    for (auto n = first; n < std::min(first + s_.batch, s_.jobs); ++n)
      out.push_back({n, id_of(n)});
    return out;
  }

  static std::string ids_json(const std::vector<job>& batch) {
    std::string out;
    for (const auto& j : batch)
      out.append(out.empty() ? "[\"" : ",\"").append(j.id).append("\"");
    return out.append("]");
  }

  static std::string new_jobs_json(const std::vector<job>& batch) {
    std::string out;
    for (const auto& j : batch)
      out.append(out.empty() ? R"({"jobs":[)" : ",")
          .append(R"({"id":")")
          .append(j.id)
          .append(R"(","type":"bench","weight":5,"max":4,"run_at":null,"ttl_s":null,"unique_key":null})");
    return out.append("]}");
  }

  void begin(const char* type, std::string data, const batch_values& o) {
    const auto seq = std::to_string(++seq_);
    const auto at = std::to_string(o.at);
    const auto hash = "\\x" + digits(8);
    params_ = {queue_, seq, type, at, digits(4), digits(2), std::move(data), hash};
  }

  /// Random hexadecimal digits, eight at a time.
  std::string digits(int eights) {
    std::string out;
    char text[9];
    for (int i = 0; i < eights; ++i) {
      std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(random_() & 0xffffffff));
      out += text;
    }
    return out;
  }

  void put(const table& t, const std::vector<job>& batch, const batch_values& o, std::size_t columns) {
    for (std::size_t i = 0; i < columns; ++i) {
      const auto& c = t.columns[i];
      const bool differs = c.name == "id" || c.name == "content" || c.name == "data";
      const auto same = item_of(c, batch.front(), o);
      auto& out = params_.emplace_back();
      callboard::persistence::append_array(out, batch, [&](const job& j) { out += differs ? item_of(c, j, o) : same; });
    }
  }

  static std::string item_of(const column& c, const job& j, const batch_values& o) {
    const auto value = value_of(c, j, o);
    std::string out;
    if (!value)
      append_null_item(out);
    else if (c.type == "bigint")
      out = *value;
    else
      append_item(out, std::string_view{*value});
    return out;
  }

  void send(const char* name) {
    pqxx::nontransaction{db_}.exec_prepared(name, pqxx::prepare::make_dynamic_params(params_));
  }

  const setting& s_;
  std::int64_t number_;
  std::string queue_;
  std::mt19937_64 random_;
  pqxx::connection db_;
  table jobs_;
  table payloads_;
  table finished_;
  std::int64_t seq_ = 0;
  std::int64_t turn_ = 0;
  std::vector<std::string> params_;
};

setting setting_in(options& from) {
  const setting s{.database = from.text("database"),
                  .clients = from.integer("clients", 2, 1, 150),
                  .batch = from.integer("batch", 100, 1, 1'000),
                  .jobs = from.integer("jobs", 10'000, 1, 10'000'000),
                  .bytes = static_cast<std::size_t>(from.integer("data", 100, 32, 100'000))};
  if (s.database.empty())
    throw std::invalid_argument("--database=postgresql://… is missing");
  return s;
}

void enqueue(options& from) {
  const auto s = setting_in(from);
  cpu_meter cpu{0, process_in(from, "postgres")};
  from.finish();
  make_schema(s.database);
  database_clients clients{s.clients, [&](unsigned number) -> database_clients::task {
                             auto one = std::make_shared<loader>(s, number);
                             return [one] { return one->enqueue(); };
                           }};
  const auto metrics = clients.run(0, phase_s_max, cpu);
  std::cout << job_metrics(metrics.done_in_all, metrics.done_in_all, metrics.steps, cpu.used()).dump() << std::endl;
}

void work(options& from) {
  const auto s = setting_in(from);
  const auto seconds = from.real("seconds", 5, 0.1, phase_s_max);
  const auto warm_up = from.real("warm-up", 0.5, 0, 60);
  cpu_meter cpu{0, process_in(from, "postgres")};
  from.finish();
  database_clients clients{s.clients, [&](unsigned number) -> database_clients::task {
                             auto one = std::make_shared<loader>(s, number);
                             return [one] { return one->claim_and_complete(); };
                           }};
  const auto metrics = clients.run(warm_up, seconds, cpu);
  pqxx::connection db{s.database};
  if (pqxx::nontransaction{db}.exec1("select count(*) from work_finished")[0].as<std::uint64_t>() !=
      metrics.done_in_all)
    throw std::runtime_error("the tables do not hold what was completed");
  std::cout << job_metrics(metrics.done, metrics.done_in_all, metrics.steps, cpu.used()).dump() << std::endl;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
  return run_mode("bulk_loader", argc, argv, {{"enqueue", enqueue}, {"work", work}});
}
