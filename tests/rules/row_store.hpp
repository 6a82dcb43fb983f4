#pragma once

#include "actors/opening/rows.hpp"
#include "base/sql.hpp"

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callboard::tests {

/// What a store would hold after every commit: the last row under each key, as plain column values.
class row_store {
public:
  /// Takes one decision's rows. Throws when a store could not take them as they are.
  void put(const std::vector<row>& rows) {
    std::set<key> in_this_commit;
    for (const auto& r : rows) {
      check_types(r);
      const key k{std::string{r.in->name}, std::get<std::int64_t>(r.values.at(0))};
      if (!in_this_commit.insert(k).second)
        throw std::logic_error("one key twice in " + k.first);
      if (r.erased)
        rows_.erase(k);
      else
        rows_.insert_or_assign(k, r);
    }
  }

  std::size_t size() const { return rows_.size(); }

  opening::opening_row opening(std::int64_t id) const {
    const auto& r = at("openings", id);
    return {{whole_at(r, "id")},
            text_at(r, "title"),
            maybe_text_at(r, "description"),
            whole_at(r, "capacity"),
            whole_at(r, "ack_window_s"),
            std::get<bool>(value(r, "offer_on_apply")),
            whole_at(r, "ack_window_on_apply_s"),
            from_name<opening::phase>(text_at(r, "phase")).value(),
            maybe_text_at(r, "owner"),
            from_ms(whole_at(r, "created_at"))};
  }

  opening::counts_row counts(std::int64_t id) const {
    const auto& r = at("opening_counts", id);
    return {{whole_at(r, "id")},
            whole_at(r, "active"),
            whole_at(r, "pending"),
            whole_at(r, "waiting"),
            whole_at(r, "total"),
            whole_at(r, "tail"),
            maybe_whole_at(r, "cooling"),
            maybe_time_at(r, "cools_until"),
            text_at(r, "promotions"),
            whole_at(r, "promotion_count"),
            whole_at(r, "promotion_ms"),
            whole_at(r, "acknowledgment_count"),
            whole_at(r, "acknowledgment_ms"),
            whole_at(r, "decays"),
            whole_at(r, "version")};
  }

  opening::application_row application(std::int64_t id) const { return application_from(at("applications", id)); }

  std::vector<opening::application_row> applications() const {
    std::vector<opening::application_row> all;
    for (const auto& [k, r] : rows_)
      if (k.first == "applications")
        all.push_back(application_from(r));
    return all;
  }

  /// The state as a restarted server would load it.
  opening::state load(std::int64_t id) const {
    auto s = opening::from_rows(opening(id), counts(id));
    for (const auto& a : applications())
      if (a.status != opening::status::inactive)
        opening::add_row(s, a);
    return s;
  }

private:
  using key = std::pair<std::string, std::int64_t>;

  const row& at(const char* table, std::int64_t id) const { return rows_.at({table, id}); }

  static void check_types(const row& r) {
    if (r.values.size() != r.in->columns.size())
      throw std::logic_error("a row of " + std::string{r.in->name} + " has other columns");
    for (std::size_t i = 0; i < r.values.size(); ++i) {
      const auto held = r.values[i].index();  // 0 is null, then in the order of column_type
      if (held != 0 && held != static_cast<std::size_t>(r.in->columns[i].type) + 1)
        throw std::logic_error("column " + std::string{r.in->columns[i].name} + " holds another type");
    }
  }

  static const sql_value& value(const row& r, std::string_view column) {
    for (std::size_t i = 0; i < r.values.size(); ++i)
      if (r.in->columns[i].name == column)
        return r.values[i];
    throw std::logic_error("no column " + std::string{column});
  }
  static std::int64_t whole_at(const row& r, std::string_view column) {
    return std::get<std::int64_t>(value(r, column));
  }
  static std::string text_at(const row& r, std::string_view column) { return std::get<std::string>(value(r, column)); }
  static bool is_null(const row& r, std::string_view column) { return value(r, column).index() == 0; }
  static std::optional<std::int64_t> maybe_whole_at(const row& r, std::string_view column) {
    return is_null(r, column) ? std::nullopt : std::optional{whole_at(r, column)};
  }
  static std::optional<std::string> maybe_text_at(const row& r, std::string_view column) {
    return is_null(r, column) ? std::nullopt : std::optional{text_at(r, column)};
  }
  static std::optional<instant> maybe_time_at(const row& r, std::string_view column) {
    return is_null(r, column) ? std::nullopt : std::optional{from_ms(whole_at(r, column))};
  }

  static opening::application_row application_from(const row& r) {
    return {{whole_at(r, "id")},
            {whole_at(r, "applicant")},
            from_name<opening::status>(text_at(r, "status")).value(),
            maybe_whole_at(r, "rank"),
            whole_at(r, "penalty"),
            from_ms(whole_at(r, "applied_at")),
            maybe_time_at(r, "promoted_at"),
            maybe_time_at(r, "deadline"),
            from_ms(whole_at(r, "since")),
            maybe_text_at(r, "reason")};
  }

  std::map<key, row> rows_;
};

}  // namespace callboard::tests
