#pragma once

#include "base/sql.hpp"
#include "persistence/rows.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace callboard::tests {

/// What a store would hold after every commit: the last row under each key, read back as a store reads it.
class row_store {
public:
  /// Takes the rows of one decision; of several rows with one key the last one counts.
  void put(const std::vector<row>& rows) {
    for (const auto& r : rows) {
      check_types(r);
      put(r);
    }
  }

  /// The same for a kind that writes every key at most once per decision.
  void put_distinct(const std::vector<row>& rows) {
    std::set<std::pair<std::string_view, key>> seen;
    for (const auto& r : rows)
      if (!seen.emplace(r.in->name, key_of(r)).second)
        throw std::logic_error("one key twice in " + std::string{r.in->name});
    put(rows);
  }

  template <stored Row>
  std::vector<Row> all() const {
    std::vector<Row> out;
    if (const auto it = tables_.find(Row::table_name); it != tables_.end())
      for (const auto& [k, r] : it->second)
        out.push_back(persistence::read_row<Row>(view{r}));
    return out;
  }

  /// The row whose member has this value.
  template <stored Row, class T, class Value>
  std::optional<Row> find(T Row::*member, const Value& value) const {
    for (auto& r : all<Row>())
      if (r.*member == value)
        return r;
    return std::nullopt;
  }

private:
  /// The key columns as text that sorts as they do.
  using key = std::string;

  struct view final : persistence::result_row {
    explicit view(const row& r) : of{r} {}
    const sql_value& at(int i) const { return of.values.at(static_cast<std::size_t>(i)); }
    bool is_null(int i) const override { return at(i).index() == 0; }
    std::int64_t integer(int i) const override { return std::get<std::int64_t>(at(i)); }
    bool boolean(int i) const override { return std::get<bool>(at(i)); }
    std::string_view text(int i) const override { return std::get<std::string>(at(i)); }
    std::string blob(int i) const override { return std::get<bytes>(at(i)).data; }
    const row& of;
  };

  static key key_of(const row& r) {
    key out;
    for (std::size_t i = 0; i < r.in->key_columns; ++i) {
      if (const auto* text = std::get_if<std::string>(&r.values[i])) {
        out += *text + '\0';
        continue;
      }
      const auto number = std::to_string(std::get<std::int64_t>(r.values[i]));  // never negative
      out.append(20 - number.size(), '0') += number;
    }
    return out;
  }

  static void check_types(const row& r) {
    if (r.values.size() != r.in->columns.size())
      throw std::logic_error("a row of " + std::string{r.in->name} + " has other columns");
    for (std::size_t i = 0; i < r.values.size(); ++i) {
      const auto held = r.values[i].index();  // 0 is null, then in the order of column_type
      if (held != 0 && held != static_cast<std::size_t>(r.in->columns[i].type) + 1)
        throw std::logic_error("column " + std::string{r.in->columns[i].name} + " holds another type");
    }
  }

  void put(const row& r) {
    auto& table = tables_[r.in->name];
    if (r.erased) {
      table.erase(key_of(r));
      return;
    }
    const auto [it, is_new] = table.try_emplace(key_of(r), r);
    if (is_new)
      return;
    for (std::size_t i = 0; i < r.values.size(); ++i)
      if (!r.in->partial_update || r.values[i].index() != 0)
        it->second.values[i] = r.values[i];
  }

  std::map<std::string_view, std::map<key, row>> tables_;
};

}  // namespace callboard::tests
