#pragma once

#include "base/sql.hpp"

#include <optional>
#include <string>
#include <string_view>

/// What people and workers wrote about jobs: rows of their own, never in the journal.
namespace callboard::queue {

/// What a job is about; written once. Its key is a name: an id that is stored already is not written again.
struct payload_row {
  std::string queue;
  std::string id;
  std::string data;      ///< JSON
  std::string metadata;  ///< JSON
  std::string priority;  ///< JSON, as given
  static constexpr std::string_view table_name = "work_payloads";
  static constexpr std::size_t key_columns = 2;
  static constexpr std::string_view conflict = "queue, id";
  static constexpr std::size_t name_column = 1;
  static constexpr std::string_view owner_predicate = "1 = 0";
  static constexpr bool first_writer_wins = true;
  static constexpr columns_range owner_columns{};
  static constexpr bool resolve_on_conflict = true;
  static constexpr auto fields =
      std::tuple{field{"queue", &payload_row::queue}, field{"id", &payload_row::id}, field{"data", &payload_row::data},
                 field{"metadata", &payload_row::metadata}, field{"priority", &payload_row::priority}};
};

/// What workers say about a job; only what they name changes.
struct report_row {
  std::string queue;
  std::string id;
  std::optional<std::string> progress;  ///< a JSON number
  std::optional<std::string> message;
  std::optional<std::string> checkpoint;  ///< JSON
  std::optional<std::string> results;     ///< JSON
  std::optional<std::string> error;
  std::optional<std::string> error_code;
  std::optional<std::string> reason;  ///< of its cancellation
  static constexpr std::string_view table_name = "work_reports";
  static constexpr std::size_t key_columns = 2;
  static constexpr bool partial_update = true;
  static constexpr auto fields =
      std::tuple{field{"queue", &report_row::queue},           field{"id", &report_row::id},
                 field{"progress", &report_row::progress},     field{"message", &report_row::message},
                 field{"checkpoint", &report_row::checkpoint}, field{"results", &report_row::results},
                 field{"error", &report_row::error},           field{"error_code", &report_row::error_code},
                 field{"reason", &report_row::reason}};
};

}  // namespace callboard::queue
