#pragma once

#include "base/sql.hpp"
#include "tests/sample/rules.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

/// How a counter rests in the store.
namespace callboard::sample {

struct counter_row {
  std::string key;
  std::int64_t limit = 0;
  std::int64_t sum = 0;
  std::optional<instant> deadline;
  bool fails = false;
  std::int64_t asked = 0;
  static constexpr std::string_view table_name = "sample_counters";
  static constexpr std::size_t key_columns = 1;
  static constexpr auto fields =
      std::tuple{field{"key", &counter_row::key},     field{"sum_max", &counter_row::limit},
                 field{"sum", &counter_row::sum},     field{"deadline", &counter_row::deadline},
                 field{"fails", &counter_row::fails}, field{"asked", &counter_row::asked}};
};

/// A name belongs to the counter that came first.
struct name_row {
  std::string name;
  std::string counter;
  static constexpr std::string_view table_name = "sample_names";
  static constexpr std::size_t key_columns = 1;
  static constexpr std::string_view conflict = "name";
  static constexpr std::size_t name_column = 0;
  static constexpr std::string_view owner_predicate = "t.counter = excluded.counter";
  static constexpr bool first_writer_wins = true;
  static constexpr columns_range owner_columns{1, 1};
  static constexpr bool resolve_on_conflict = true;
  static constexpr auto fields = std::tuple{field{"name", &name_row::name}, field{"counter", &name_row::counter}};
};

/// An ask that is not answered yet.
struct ask_row {
  std::string counter;
  std::string id;
  std::string target;
  std::int64_t n = 0;
  static constexpr std::string_view table_name = "sample_asks";
  static constexpr std::size_t key_columns = 2;
  static constexpr auto fields = std::tuple{field{"counter", &ask_row::counter}, field{"id", &ask_row::id},
                                            field{"target", &ask_row::target}, field{"n", &ask_row::n}};
};

struct received_row {
  std::string counter;
  std::string id;
  std::string sender;
  std::int64_t n = 0;
  static constexpr std::string_view table_name = "sample_received";
  static constexpr std::size_t key_columns = 2;
  static constexpr auto fields = std::tuple{field{"counter", &received_row::counter}, field{"id", &received_row::id},
                                            field{"sender", &received_row::sender}, field{"n", &received_row::n}};
};

/// The tables, in words that every store understands.
inline constexpr std::array<std::string_view, 4> tables{
    "create table if not exists sample_counters (key text primary key, sum_max bigint not null, sum bigint not null,"
    " deadline bigint, fails boolean not null, asked bigint not null)",
    "create table if not exists sample_names (name text primary key, counter text not null)",
    "create table if not exists sample_asks (counter text not null, id text not null, target text not null,"
    " n bigint not null, primary key (counter, id))",
    "create table if not exists sample_received (counter text not null, id text not null, sender text not null,"
    " n bigint not null, primary key (counter, id))"};

}  // namespace callboard::sample
