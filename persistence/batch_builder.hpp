#pragma once

#include "persistence/append.hpp"
#include "persistence/batch.hpp"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace callboard::persistence {

/// Collects appends into one batch: one head move per entity, one row per key, one owner per name.
class batch_builder {
public:
  batch_builder(std::size_t events_max, std::size_t bytes_max) : events_max_{events_max}, bytes_max_{bytes_max} {}

  /// False when the append has to wait for the next batch: no room, or another owner has a name of it in this batch.
  bool take(append& a);

  bool empty() const { return appends_.empty(); }
  bool writes() const { return writes_; }
  std::size_t size() const { return appends_.size(); }

  /// The appends in order; the batch points into them.
  std::vector<append> finish(std::int64_t number, batch& out);

private:
  bool meets_foreign_name(const append& a) const;
  static std::size_t bytes_of(const append& a);

  std::size_t events_max_;
  std::size_t bytes_max_;
  std::size_t events_ = 0;
  std::size_t bytes_ = 0;
  bool writes_ = false;
  std::vector<append> appends_;
  std::unordered_map<std::string, std::string> owners_;  ///< table and name → owner
};

/// Table and name, when the row carries a name. A name that is given up in a batch cannot be taken in the same batch.
std::string name_of(const row& r);
std::string text_of(const sql_value& v);

}  // namespace callboard::persistence
