#pragma once

#include "persistence/batch.hpp"

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace callboard::persistence {

/// The one statement that commits a batch on PostgreSQL in one round trip: data-modifying CTEs composed from the field
/// lists. It returns the last journal position, and raises an error by abort_batch when the batch must not commit.
class batch_statement {
public:
  /// Composed once per set of tables in the batch.
  const std::string& text(const batch& b);
  /// The parameters in the order of the text; valid until the next call.
  std::span<const char* const> bind(const batch& b, std::string_view node);

private:
  std::string& next();
  void bind_heads(const batch& b);
  void bind_lines(const batch& b);
  void bind_table(const table_rows& t);

  std::unordered_map<std::string, std::string> texts_;
  std::string shape_;
  std::vector<std::string> values_;  ///< reused by each call, to save allocations
  std::size_t used_ = 0;
  std::vector<const char*> pointers_;
};

}  // namespace callboard::persistence
