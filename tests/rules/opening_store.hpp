#pragma once

#include "actors/opening/rows.hpp"
#include "tests/rules/row_store.hpp"

#include <vector>

namespace callboard::tests {

/// The rows of openings, and what a restarted server would load from them.
class opening_store : public row_store {
public:
  opening::opening_row opening(std::int64_t id) const {
    return find(&opening::opening_row::id, opening::opening_id{id}).value();
  }
  opening::counts_row counts(std::int64_t id) const {
    return find(&opening::counts_row::id, opening::opening_id{id}).value();
  }
  opening::application_row application(std::int64_t id) const {
    return find(&opening::application_row::id, opening::application_id{id}).value();
  }
  std::vector<opening::application_row> applications() const { return all<opening::application_row>(); }

  opening::state load(std::int64_t id) const {
    auto s = opening::from_rows(opening(id), counts(id));
    for (const auto& a : applications())
      if (a.status != opening::status::inactive)
        opening::add_row(s, a);
    return s;
  }
};

}  // namespace callboard::tests
