#pragma once

#include "persistence/store.hpp"

#include <string>
#include <utility>

/// Reads row structs by their field lists.
namespace callboard::persistence {

namespace detail {

inline void from_sql(const result_row& r, int i, std::int64_t& x) { x = r.integer(i); }
inline void from_sql(const result_row& r, int i, std::int32_t& x) { x = static_cast<std::int32_t>(r.integer(i)); }
inline void from_sql(const result_row& r, int i, bool& x) { x = r.boolean(i); }
inline void from_sql(const result_row& r, int i, std::string& x) { x = r.text(i); }
inline void from_sql(const result_row& r, int i, bytes& x) { x.data = r.blob(i); }
inline void from_sql(const result_row& r, int i, instant& x) { x = from_ms(r.integer(i)); }
template <class Tag>
void from_sql(const result_row& r, int i, id<Tag>& x) {
  x.value = r.integer(i);
}
template <named E>
void from_sql(const result_row& r, int i, E& x) {
  const auto e = from_name<E>(r.text(i));
  if (!e)
    throw store_error("unknown value in a row: " + std::string{r.text(i)});
  x = *e;
}
template <class T>
void from_sql(const result_row& r, int i, std::optional<T>& x) {
  if (r.is_null(i))
    x.reset();
  else
    from_sql(r, i, x.emplace());
}

}  // namespace detail

/// `a.id, a.name, …` for a select; without alias `id, name, …`.
template <stored Row>
std::string columns(std::string_view alias = {}) {
  std::string out;
  for_each_field<Row>([&](const auto& f) {
    out += out.empty() ? "" : ", ";
    if (!alias.empty())
      (out += alias) += '.';
    out += f.name;
  });
  return out;
}

/// Reads a row struct from the columns that begin at `first`.
template <stored Row>
Row read_row(const result_row& r, int first = 0) {
  Row out{};
  for_each_field<Row>([&](const auto& f) { detail::from_sql(r, first++, out.*f.member); });
  return out;
}

/// `select <columns of Row> from <table> <rest>`.
template <stored Row, class Sink>
void select(reader& from, std::string_view rest, std::initializer_list<sql_param> params, Sink&& sink) {
  static const std::string head = "select " + columns<Row>() + " from " + std::string{Row::table_name} + " ";
  from.query(head + std::string{rest}, params, [&](const result_row& r) { sink(read_row<Row>(r)); });
}

}  // namespace callboard::persistence
