#pragma once

#include "base/sql.hpp"

#include <string>

/// Rows that every kind uses.
namespace callboard::persistence {

/// When an entity's next tick is due; may be earlier than its deadline, never later.
struct timer_row {
  std::string kind;
  std::string key;
  std::int32_t shard = 0;
  instant due;
  static constexpr std::string_view table_name = "timers";
  static constexpr std::size_t key_columns = 2;
  static constexpr auto fields = std::tuple{field{"kind", &timer_row::kind}, field{"key", &timer_row::key},
                                            field{"shard", &timer_row::shard}, field{"due", &timer_row::due}};
};

/// The answer to a request with an Idempotency-Key. The digest of (principal, entity, key) is a name: it belongs to
/// the first request for a day. `status` is a callboard::success.
struct request_row {
  bytes digest;
  bytes fingerprint;
  std::int32_t status = 0;
  std::string body;
  instant at;
  static constexpr std::string_view table_name = "requests";
  static constexpr std::size_t key_columns = 1;
  static constexpr std::string_view conflict = "digest";
  static constexpr std::size_t name_column = 0;
  static constexpr std::string_view owner_predicate = "t.at < excluded.at - 86400000";
  static constexpr bool first_writer_wins = false;
  static constexpr columns_range owner_columns{};
  static constexpr bool resolve_on_conflict = false;  // the loser gets the stored answer
  static constexpr auto fields = std::tuple{
      field{"digest", &request_row::digest}, field{"fingerprint", &request_row::fingerprint},
      field{"status", &request_row::status}, field{"body", &request_row::body}, field{"at", &request_row::at}};
};

}  // namespace callboard::persistence
