#pragma once

#include "base/sql.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace callboard::persistence {

/// The rows that an entity's journal gives, to be held against those that are stored. Payload columns do not count: the
/// journal does not tell them. Rows are kept as compact text, because an entity may have millions.
class expected_rows {
public:
  /// Called with table, row and column ("" for a whole row) and what is wrong.
  using sink =
      std::function<void(std::string_view table, const std::string& key, std::string_view column, std::string what)>;

  /// What an event made of a row; the last one counts.
  void put(const row& r);

  /// Between begin and end every stored row passes `compare`.
  void begin() { ++round_; }
  void compare(const row& stored, const sink& differs);
  void end(const sink& differs) const;

private:
  struct expected {
    const table* in;
    std::string values;
    int seen = 0;  ///< the round that met it
  };
  std::unordered_map<std::string, expected> rows_;
  int round_ = 0;
};

}  // namespace callboard::persistence
