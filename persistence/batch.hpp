#pragma once

#include "base/instant.hpp"
#include "base/sql.hpp"
#include "messages/entity_id.hpp"
#include "messages/origin.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::persistence {

/// A head row that must stand at `expected` and shall stand at `seq` (expected 0: must not exist yet).
struct head_move {
  const entity_id* entity;
  std::int64_t expected;
  std::int64_t seq;
  instant at;
  const std::string* hash;  ///< of the last event, 32 bytes
};

/// One event as it rests in the journal.
struct journal_line {
  const entity_id* entity;
  std::int64_t seq;
  std::string_view type;
  instant at;
  const std::optional<std::string>* subject;
  const origin* by;
  const std::string* data;  ///< JSON text; never reformatted, the hash covers its bytes
  const std::string* hash;
};

/// All changed rows of one table, one per key.
struct table_rows {
  const table* in;
  std::vector<const row*> upserts;
  std::vector<const row*> erasures;
};

/// What one transaction takes. Points into the appends it was built from.
struct batch {
  std::int64_t number;  ///< moves writers(node, batch) from number − 1 to number
  std::vector<head_move> heads;
  std::vector<journal_line> lines;
  std::vector<table_rows> tables;
  std::deque<row> merged{};  ///< rows made of several patches
};

}  // namespace callboard::persistence
