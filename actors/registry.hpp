#pragma once

#include "persistence/store.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What can be done with an entity of any kind, found by the kind's name.
namespace callboard::actors {

/// An entity's past on its way from the journal to JSON. Each step is a job of its own for a reader, so that none of
/// them holds a snapshot for long.
class past {
public:
  virtual ~past() = default;
  /// Folds one page of the journal; false when it was the last one.
  virtual bool step(persistence::reader& from) = 0;
  /// The state that the steps gave.
  virtual std::string state_text(persistence::reader& from, instant at) = 0;
  virtual std::int64_t seq() const = 0;
  /// Ids of the effects that the state has not heard about.
  virtual std::vector<std::string> unanswered() const = 0;
};

/// Every kind's name.
std::span<const std::string_view> kind_names();

/// The entity as of `until`; null for a kind that does not exist.
std::unique_ptr<past> past_of(std::string_view kind, std::string key, std::optional<instant> until);

}  // namespace callboard::actors
