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

/// Moves a head row from `expected` to `seq`; with expected 0 the row must not exist yet.
struct head_move {
  const entity_id* entity;
  std::int64_t expected;
  std::int64_t seq;
  instant at;
  const std::string* hash;  ///< of the last event, 32 bytes
};

/// One event as it is stored in the journal.
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

/// What one transaction writes. Points into the appends it was built from.
struct batch {
  std::int64_t number;  ///< moves writers(node, batch) from number − 1 to number
  std::vector<head_move> heads;
  std::vector<journal_line> lines;
  std::vector<table_rows> tables;
  std::deque<row> merged{};  ///< rows combined from several partial updates
};

}  // namespace callboard::persistence
