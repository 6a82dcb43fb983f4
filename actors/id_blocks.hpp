#pragma once

#include "persistence/journal_writer.hpp"
#include "persistence/store.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace callboard::actors {

/// Fresh ids from blocks that the store gave to this node alone. Ids may have gaps, never twins.
class id_blocks {
public:
  explicit id_blocks(std::int64_t block_size = 1'000) : block_size_{block_size} {}

  /// The first block of a name, before anything runs.
  void open(persistence::store& from, const std::string& name);
  /// nullopt when the next block has not come yet; asks for it in time.
  std::optional<std::int64_t> next(std::string_view name, persistence::journal_writer& writer);
  /// What was not used goes back, when nobody else took a block since.
  void give_back(persistence::store& to);

private:
  struct block {
    std::int64_t next = 0, end = 0;         ///< in use
    std::int64_t spare = 0, spare_end = 0;  ///< waiting
    bool asked = false;
  };
  void forget_other_generation(const persistence::journal_writer& writer);
  static std::int64_t claim(persistence::store& from, const std::string& name, std::int64_t count);

  const std::int64_t block_size_;
  std::mutex mutex_;
  std::map<std::string, block, std::less<>> blocks_;
  std::int64_t store_generation_ = 0;  ///< of the store that gave them
};

}  // namespace callboard::actors
