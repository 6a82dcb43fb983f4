#pragma once

#include "base/sql.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace callboard::persistence {

/// The rows that follow from an entity's journal, to be compared with the stored ones. Payload columns are left out,
/// because the journal does not hold them. Rows are kept as compact text, because an entity may have millions.
class expected_rows {
public:
  /// Called with table, row and column ("" for a whole row) and what is wrong.
  using sink =
      std::function<void(std::string_view table, const std::string& key, std::string_view column, std::string what)>;

  /// A row after an event; replaces what an earlier event made of it.
  void put(const row& r);

  /// Between begin and end `compare` must be called with every stored row.
  void begin() { ++round_; }
  void compare(const row& stored, const sink& differs);
  void end(const sink& differs) const;

private:
  struct expected {
    const table* in;
    std::string values;
    int seen = 0;  ///< the last round that compared it
  };
  std::unordered_map<std::string, expected> rows_;
  int round_ = 0;
};

}  // namespace callboard::persistence
