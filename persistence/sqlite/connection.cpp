#include "persistence/sqlite/connection.hpp"

#include "base/json_write.hpp"

#include <cstring>
#include <deque>

namespace callboard::persistence {

namespace {

[[noreturn]] void fail(sqlite3* db, int result) {
  const int code = db != nullptr ? sqlite3_extended_errcode(db) : result;
  throw sqlite_failure{(code & 0xff) == (result & 0xff) ? code : result,
                       std::string{"sqlite: "} + (db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(result))};
}

class sqlite_row final : public result_row {
public:
  explicit sqlite_row(sqlite3_stmt* s) : s_{s} {}
  bool is_null(int i) const override { return sqlite3_column_type(s_, i) == SQLITE_NULL; }
  std::int64_t integer(int i) const override { return sqlite3_column_int64(s_, i); }
  bool boolean(int i) const override {
    if (sqlite3_column_type(s_, i) == SQLITE_TEXT)
      return text(i).starts_with('t');
    return sqlite3_column_int64(s_, i) != 0;
  }
  std::string_view text(int i) const override {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(s_, i));
    return {data == nullptr ? "" : data, static_cast<std::size_t>(sqlite3_column_bytes(s_, i))};
  }
  std::string blob(int i) const override {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(s_, i));
    return {data == nullptr ? "" : data, static_cast<std::size_t>(sqlite3_column_bytes(s_, i))};
  }

private:
  sqlite3_stmt* s_;
};

/// Binds query parameters. Arrays are bound as JSON, which is held until the query has ended.
class parameter_binder {
public:
  explicit parameter_binder(sqlite_statement& s) : s_{s} {}

  void bind(std::size_t number, const sql_param& p) {
    const auto name = "$" + std::to_string(number);
    if (const int at = s_.parameter(name.c_str()); at != 0)
      std::visit([&](const auto& x) { put(at, x); }, p);
  }

private:
  void put(int at, std::monostate) { s_.bind_null(at); }
  void put(int at, std::int64_t x) { s_.bind(at, x); }
  void put(int at, bool x) { s_.bind(at, std::int64_t{x}); }
  void put(int at, const std::string& x) { s_.bind(at, std::string_view{x}); }
  void put(int at, const bytes& x) { s_.bind_blob(at, x.data); }
  template <class T>
  void put(int at, const std::vector<T>& x) {
    s_.bind(at, std::string_view{arrays_.emplace_back(to_json(x))});
  }

  sqlite_statement& s_;
  std::deque<std::string> arrays_;
};

}  // namespace

sqlite_statement::sqlite_statement(sqlite3* db, std::string_view sql) {
  sqlite3_stmt* s = nullptr;
  const int result =
      sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &s, nullptr);
  raw_.reset(s);
  if (result != SQLITE_OK)
    fail(db, result);
}

void sqlite_statement::check(int result) const {
  if (result != SQLITE_OK)
    fail(sqlite3_db_handle(raw_.get()), result);
}

void sqlite_statement::bind(int at, std::int64_t x) { check(sqlite3_bind_int64(raw_.get(), at, x)); }

void sqlite_statement::bind(int at, std::string_view text) {
  // PostgreSQL cannot store a NUL in a text, and both stores must refuse the same content.
  if (std::memchr(text.data(), 0, text.size()) != nullptr)
    throw sqlite_failure{SQLITE_MISMATCH, "sqlite: a text contains a NUL"};
  const auto* data = text.data() == nullptr ? "" : text.data();
  check(sqlite3_bind_text64(raw_.get(), at, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void sqlite_statement::bind_blob(int at, std::string_view data) {
  const auto* from = data.data() == nullptr ? "" : data.data();
  check(sqlite3_bind_blob64(raw_.get(), at, from, data.size(), SQLITE_STATIC));
}

void sqlite_statement::bind_null(int at) { check(sqlite3_bind_null(raw_.get(), at)); }

void sqlite_statement::bind(int at, const sql_value& x) {
  switch (x.index()) {
  case 0:
    return bind_null(at);
  case 1:
    return bind(at, std::get<1>(x));
  case 2:
    return bind(at, std::int64_t{std::get<2>(x)});
  case 3:
    return bind(at, std::string_view{std::get<3>(x)});
  default:
    return bind_blob(at, std::get<4>(x).data);
  }
}

bool sqlite_statement::step() {
  const int result = sqlite3_step(raw_.get());
  if (result == SQLITE_ROW)
    return true;
  if (result == SQLITE_DONE)
    return false;
  // Reset before reading the message: it ends the statement and keeps the message.
  sqlite3_reset(raw_.get());
  fail(sqlite3_db_handle(raw_.get()), result);
}

void sqlite_statement::run() {
  while (step()) {
  }
  reset();
}

sqlite_connection::sqlite_connection(const std::string& path, file is) {
  sqlite3* db = nullptr;
  // Each connection is used by one thread at a time, so SQLite's own mutexes are not needed.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int create = is == file::may_be_new ? SQLITE_OPEN_CREATE : 0;
  const int result = sqlite3_open_v2(path.c_str(), &db, flags | create, nullptr);
  raw_.reset(db);
  if (result != SQLITE_OK)
    fail(db, result);
  sqlite3_busy_timeout(db, 5'000);
}

void sqlite_connection::run(const char* sql) {
  if (const int result = sqlite3_exec(raw_.get(), sql, nullptr, nullptr, nullptr); result != SQLITE_OK)
    fail(raw_.get(), result);
}

std::int64_t sqlite_connection::number(const char* sql) {
  sqlite_statement s{raw_.get(), sql};
  return s.step() ? sqlite3_column_int64(s.raw(), 0) : 0;
}

std::string sqlite_connection::text(const char* sql) {
  sqlite_statement s{raw_.get(), sql};
  return s.step() ? std::string{sqlite_row{s.raw()}.text(0)} : std::string{};
}

sqlite_statement& sqlite_connection::prepared(std::string_view sql) {
  if (const auto it = statements_.find(sql); it != statements_.end())
    return it->second;
  return statements_.try_emplace(std::string{sql}, raw_.get(), translated(sql)).first->second;
}

void sqlite_connection::query(std::string_view sql, std::span<const sql_param> params, const reader::row_sink& sink) {
  auto& s = prepared(sql);
  parameter_binder binder{s};
  for (std::size_t i = 0; i < params.size(); ++i)
    binder.bind(i + 1, params[i]);
  // Reset also when the sink throws: a statement that is not reset keeps its snapshot.
  const std::unique_ptr<sqlite_statement, void (*)(sqlite_statement*)> end{&s, [](sqlite_statement* x) { x->reset(); }};
  const sqlite_row row{s.raw()};
  while (s.step())
    sink(row);
}

std::string translated(std::string_view sql) {
  std::string out;
  out.reserve(sql.size() + 32);
  for (;;) {
    const auto any = sql.find("= any($");
    if (any == std::string_view::npos)
      return out += sql;
    const auto parameter = any + std::strlen("= any(");
    const auto cast = sql.find("::", parameter);
    const auto end = sql.find("[])", parameter);
    if (cast == std::string_view::npos || end == std::string_view::npos || cast > end)
      throw store_error("an array parameter without its type: " + std::string{sql});
    out += sql.substr(0, any);
    ((out += "in (select value from json_each(") += sql.substr(parameter, cast - parameter)) += "))";
    sql.remove_prefix(end + std::strlen("[])"));
  }
}

}  // namespace callboard::persistence
