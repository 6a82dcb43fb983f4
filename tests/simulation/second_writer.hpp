#pragma once

#include "messages/opening.hpp"
#include "persistence/store.hpp"

#include <string>

namespace callboard::simulation {

/// Somebody else who writes to our store and does it well: events, head, rows and timer in order. What a second node
/// would do that believes it owns our entities.
class second_writer {
public:
  second_writer(persistence::store& in, instant now) : store_{in}, now_{now} {}

  void decides(const std::string& job, const opening::command& c);
  void registers(std::int64_t id, const std::string& email);
  /// An answer to a request with this digest, as `world` makes them.
  void answers(const std::string& digest, const std::string& body, const std::string& fingerprint = "fingerprint");

private:
  void put(const row& r);

  persistence::store& store_;
  instant now_;
};

}  // namespace callboard::simulation
