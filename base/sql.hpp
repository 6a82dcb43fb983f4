#pragma once

#include "base/described.hpp"
#include "base/id.hpp"
#include "base/instant.hpp"
#include "base/named.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace callboard {

struct bytes {
  std::string data;
  friend auto operator<=>(const bytes&, const bytes&) = default;
};

/// What a column holds. Times are milliseconds since 1970 on every store.
using sql_value = std::variant<std::monostate, std::int64_t, bool, std::string, bytes>;

enum class column_type : std::uint8_t { integer, boolean, text, bytes };

struct column {
  std::string_view name;
  column_type type;
  bool is_payload;
};

struct columns_range {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// A table as its row struct describes it; one static object per row type.
struct table {
  std::string_view name;
  std::vector<column> columns;
  std::size_t key_columns;           ///< the first so many columns are the primary key
  std::string_view conflict;         ///< columns that may collide; the primary key unless the row is a name
  std::size_t name_column;           ///< with a guard: which column is the name
  std::string_view owner_predicate;  ///< SQL over `t` and `excluded`: a collision that fails it means "taken"
  bool first_writer_wins;            ///< a collision that passes the guard changes nothing
  columns_range owner;               ///< rows of one name with equal values here are one owner's and merge; none: never
  bool resolve_on_conflict;          ///< who loses the name looks it up again before it is decided again
  bool partial_update;               ///< what is null leaves alone what is stored
};

/// A changed row on its way to the store.
struct row {
  const table* in = nullptr;
  std::vector<sql_value> values;
  bool erased = false;  ///< then only the key columns count
};

namespace detail {

template <class T>
struct sql_type;
template <>
struct sql_type<std::int64_t> {
  static constexpr auto type = column_type::integer;
};
template <>
struct sql_type<std::int32_t> {
  static constexpr auto type = column_type::integer;
};
template <>
struct sql_type<bool> {
  static constexpr auto type = column_type::boolean;
};
template <>
struct sql_type<std::string> {
  static constexpr auto type = column_type::text;
};
template <>
struct sql_type<bytes> {
  static constexpr auto type = column_type::bytes;
};
template <>
struct sql_type<instant> {
  static constexpr auto type = column_type::integer;
};
template <class Tag>
struct sql_type<id<Tag>> {
  static constexpr auto type = column_type::integer;
};
template <named E>
struct sql_type<E> {
  static constexpr auto type = column_type::text;
};
template <class T>
struct sql_type<std::optional<T>> : sql_type<T> {};

inline sql_value to_sql(std::int64_t x) { return x; }
inline sql_value to_sql(std::int32_t x) { return std::int64_t{x}; }
inline sql_value to_sql(bool x) { return x; }
inline sql_value to_sql(const std::string& x) { return x; }
inline sql_value to_sql(const bytes& x) { return x; }
inline sql_value to_sql(instant x) { return to_ms(x); }
template <class Tag>
sql_value to_sql(id<Tag> x) {
  return x.value;
}
template <named E>
sql_value to_sql(E x) {
  return std::string{name(x)};
}
template <class T>
sql_value to_sql(const std::optional<T>& x) {
  return x ? to_sql(*x) : sql_value{};
}

}  // namespace detail

/// A row struct says `table_name`, `fields` with the key columns first and `key_columns`;
/// one that carries a name also says `conflict`, `name_column`, `guard`, `first_writer_wins`, `owner_columns` and
/// `resolve_on_conflict`; one that only adds to what is stored says `patches`.
template <class Row>
concept stored = described<Row> && requires {
  Row::table_name;
  Row::key_columns;
};

template <stored Row>
const table& table_of() {
  static const table result = [] {
    table t{.name = Row::table_name,
            .columns = {},
            .key_columns = Row::key_columns,
            .conflict = {},
            .name_column = 0,
            .owner_predicate = {},
            .first_writer_wins = false,
            .owner = {},
            .resolve_on_conflict = false,
            .partial_update = false};
    for_each_field<Row>([&](const auto& f) {
      using f_type = std::remove_cvref_t<decltype(f)>;
      t.columns.push_back(
          {f.name, detail::sql_type<typename f_type::member_type>::type, std::is_same_v<decltype(f.rule), payload>});
    });
    if constexpr (requires { Row::owner_predicate; }) {
      t.conflict = Row::conflict;
      t.name_column = Row::name_column;
      t.owner_predicate = Row::owner_predicate;
      t.first_writer_wins = Row::first_writer_wins;
      t.owner = Row::owner_columns;
      t.resolve_on_conflict = Row::resolve_on_conflict;
    }
    if constexpr (requires { Row::partial_update; })
      t.partial_update = Row::partial_update;
    return t;
  }();
  return result;
}

template <stored Row>
row to_row(const Row& r) {
  row out{.in = &table_of<Row>(), .values = {}, .erased = false};
  out.values.reserve(field_count<Row>);
  for_each_field<Row>([&](const auto& f) { out.values.push_back(detail::to_sql(r.*f.member)); });
  return out;
}

}  // namespace callboard
