#pragma once

#include "persistence/store.hpp"

#include <catch2/catch.hpp>
#include <pqxx/pqxx>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>

/// Each backend is a database of one test: created and removed with the object.
namespace callboard::test {

inline std::string random_name() {
  static std::mt19937_64 source{std::random_device{}()};
  return "callboard_" + std::to_string(::getpid()) + "_" + std::to_string(source() % 1'000'000'000'000);
}

struct memory {
  static constexpr bool survives = false;
  static constexpr std::string_view durability = "degraded";  // lost when the process ends
  std::string url() const { return "sqlite::memory:"; }
};

class file {
public:
  static constexpr bool survives = true;
  static constexpr std::string_view durability = "full";
  file() : folder_{std::filesystem::temp_directory_path() / random_name()} {}
  ~file() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  file(const file&) = delete;
  file& operator=(const file&) = delete;

  std::filesystem::path path() const { return folder_ / "deep" / "callboard.db"; }
  std::string url() const { return "sqlite:" + path().string(); }

private:
  std::filesystem::path folder_;
};

class postgres {
public:
  static constexpr bool survives = true;
  static constexpr std::string_view durability = "full";

  postgres() {
    const char* admin = std::getenv("CALLBOARD_TEST_POSTGRES");
    if (admin == nullptr)
      FAIL("CALLBOARD_TEST_POSTGRES is not set: the URL of a PostgreSQL server where databases may be created");
    admin_ = admin;
    run("create database " + name_);
  }
  ~postgres() {
    try {
      run("drop database if exists " + name_ + " with (force)");
    } catch (const std::exception& e) {
      WARN("a test's database stays behind: " << e.what());
    }
  }
  postgres(const postgres&) = delete;
  postgres& operator=(const postgres&) = delete;

  std::string url() const { return url_at(std::string{}); }
  /// The URL of the same database at another address, `host:port`.
  std::string url_at(const std::string& address) const {
    const auto host = admin_.find("://") + 3;
    const auto slash = admin_.find('/', host);
    const auto query = admin_.find('?', host);
    const auto at = admin_.find('@', host);
    const auto begin = at < slash ? at + 1 : host;
    return admin_.substr(0, begin) +
           (address.empty() ? admin_.substr(begin, std::min(slash, query) - begin) : address) + "/" + name_ +
           (query == std::string::npos ? "" : admin_.substr(query));
  }
  /// `host:port` of the server.
  std::string address() const {
    const auto u = url();
    const auto host = u.find("://") + 3;
    const auto at = u.find('@', host);
    const auto begin = at == std::string::npos ? host : at + 1;
    return u.substr(begin, u.find('/', begin) - begin);
  }

private:
  void run(const std::string& sql) const {
    pqxx::connection admin{admin_};
    pqxx::nontransaction{admin}.exec(sql);
  }
  std::string admin_;
  std::string name_ = random_name();
};

/// A backend with an open store on it.
template <class Backend>
struct opened {
  Backend on;
  std::unique_ptr<persistence::store> store = persistence::make_store(on.url());
  std::int64_t last = store->open("node");
  std::unique_ptr<persistence::reader> reader = store->open_reader();

  std::int64_t number(std::string_view sql, std::initializer_list<persistence::sql_param> params = {}) {
    std::int64_t found = -1;
    reader->query(sql, params, [&](const persistence::result_row& r) { found = r.integer(0); });
    return found;
  }
  std::string text(std::string_view sql, std::initializer_list<persistence::sql_param> params = {}) {
    std::string found = "(no row)";
    reader->query(sql, params, [&](const persistence::result_row& r) { found = r.text(0); });
    return found;
  }
  void write(std::string_view sql, std::initializer_list<persistence::sql_param> params = {}) {
    store->write(sql, std::span{params.begin(), params.size()}, [](const persistence::result_row&) {});
  }
  /// Closes the store and opens it again on the same database.
  void reopen() {
    reader.reset();
    store.reset();
    store = persistence::make_store(on.url());
    last = store->open("node");
    reader = store->open_reader();
  }
};

}  // namespace callboard::test
