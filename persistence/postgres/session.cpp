#include "persistence/postgres/session.hpp"

#include "persistence/postgres/array_literal.hpp"

#include <charconv>
#include <deque>

namespace callboard::persistence {

namespace {

using std::chrono::milliseconds;

// The server cancels a statement after 5 or 30 s, so no reply comes later than these limits.
constexpr milliseconds writer_limit{5'500};
constexpr milliseconds reader_limit{33'000};

// Generic plans are made once, when tables may still be empty, and are kept: force the plans for full tables, by index.
constexpr auto settings =
    "set idle_in_transaction_session_timeout = '2s'; set default_transaction_isolation = 'read committed';"
    "set jit = off; set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off;";
constexpr auto writer_settings = "set statement_timeout = '5s'; set plan_cache_mode = force_generic_plan";
constexpr auto reader_settings = "set statement_timeout = '30s'";

constexpr std::string_view self_sql =
    "select pid, (extract(epoch from backend_start) * 1000000)::bigint,"
    " current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off'"
    " from pg_stat_activity where pid = pg_backend_pid()";

class postgres_row final : public result_row {
public:
  explicit postgres_row(const pqxx::row& r) : row_{r} {}
  bool is_null(int i) const override { return row_[i].is_null(); }
  std::int64_t integer(int i) const override {
    const auto digits = text(i);
    std::int64_t x = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), x);
    return x;
  }
  bool boolean(int i) const override {
    const auto t = text(i);
    return t.starts_with('t') || t == "1";
  }
  std::string_view text(int i) const override {
    const auto f = row_[i];  // points into the result, which outlives the field
    return {f.c_str(), f.size()};
  }
  std::string blob(int i) const override {
    const auto t = text(i);
    return t.starts_with("\\x") ? from_hex(t.substr(2)) : std::string{t};
  }

private:
  const pqxx::row& row_;
};

/// Parameters in their text form.
class text_params {
public:
  explicit text_params(std::span<const sql_param> params) {
    for (const auto& p : params)
      std::visit([this](const auto& x) { add(x); }, p);
  }
  std::span<const char* const> all() const { return pointers_; }

private:
  void add(std::monostate) { pointers_.push_back(nullptr); }
  void add(std::int64_t x) { keep(std::to_string(x)); }
  void add(bool x) { keep(x ? "t" : "f"); }
  void add(const std::string& x) {
    // libpq takes a C string and would truncate it there.
    if (x.find('\0') != std::string::npos)
      throw store_error("a text parameter contains a NUL");
    pointers_.push_back(x.c_str());
  }
  void add(const bytes& x) { keep("\\x" + to_hex(x.data)); }
  void add(const std::vector<std::int64_t>& x) {
    std::string out;
    append_array(out, x, [&](std::int64_t i) { append_item(out, i); });
    keep(std::move(out));
  }
  void add(const std::vector<std::string>& x) {
    std::string out;
    append_array(out, x, [&](const std::string& i) { append_item(out, std::string_view{i}); });
    if (out.find('\0') != std::string::npos)
      throw store_error("a text parameter contains a NUL");
    keep(std::move(out));
  }
  void keep(std::string text) { pointers_.push_back(kept_.emplace_back(std::move(text)).c_str()); }

  std::deque<std::string> kept_;
  std::vector<const char*> pointers_;
};

}  // namespace

std::string with_defaults(const std::string& url, postgres_session::role as) {
  const std::pair<std::string_view, std::string_view> defaults[] = {
      {"connect_timeout", "3"},
      {"keepalives", "1"},
      {"keepalives_idle", "2"},
      {"keepalives_interval", "2"},
      {"keepalives_count", "3"},
      {"tcp_user_timeout", "5000"},
      {"target_session_attrs", "read-write"},
      {"client_encoding", "UTF8"},
      {"application_name", as == postgres_session::role::writer ? "callboard-writer" : "callboard-reader"},
  };
  std::string out = url;
  for (const auto& [name, value] : defaults) {
    const auto quoted = std::string{name} + "=";
    if (out.find("?" + quoted) != std::string::npos || out.find("&" + quoted) != std::string::npos)
      continue;
    out += out.find('?') == std::string::npos ? '?' : '&';
    out += quoted;
    out += value;
  }
  return out;
}

postgres_session::postgres_session(const std::string& url, role as, std::shared_ptr<watchdog> dog)
    : dog_{std::move(dog)}, limit_{as == role::writer ? writer_limit : reader_limit}, connection_{
                                                                                          with_defaults(url, as)} {
  // libpqxx would silently replace a lost connection by one without our lock and our settings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  connection_.inhibit_reactivation(true);
#pragma GCC diagnostic pop
  {
    const watchdog::watch watching{*dog_, connection_.sock(), limit_};
    pqxx::nontransaction session{connection_};
    session.exec(settings);
    session.exec(as == role::writer ? writer_settings : reader_settings);
  }
  if (as == role::reader)
    return;
  query(self_sql, {}, [this](const result_row& r) {
    self_ = {r.integer(0), r.integer(1)};
    durable_ = r.boolean(2);
  });
}

pqxx::result postgres_session::run(std::string_view sql, std::span<const char* const> params) {
  auto it = prepared_.find(sql);
  if (it == prepared_.end()) {
    it = prepared_.emplace(sql, "s" + std::to_string(prepared_.size())).first;
    connection_.prepare(it->second, it->first);
  }
  const watchdog::watch watching{*dog_, connection_.sock(), limit_};
  pqxx::nontransaction autocommit{connection_};
  return autocommit.exec_prepared(it->second, pqxx::prepare::make_dynamic_params(params.begin(), params.end()));
}

void postgres_session::query(std::string_view sql, std::span<const sql_param> params, const reader::row_sink& sink) {
  const text_params texts{params};
  const auto answer = run(sql, texts.all());
  for (const auto& r : answer)
    sink(postgres_row{r});
}

}  // namespace callboard::persistence
