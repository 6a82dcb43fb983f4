#pragma once

#include "base/instant.hpp"
#include "base/sql.hpp"
#include "messages/outcome.hpp"

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace callboard {

/// One decision under way. Rules read the state and say what happened; each event is evolved at once, so that the next
/// step of the same decision (a cascade) sees it. A refusal says nothing happened and so leaves the state alone.
template <class Kind>
class decision {
public:
  decision(typename Kind::state& of, instant at, std::int64_t seq) : now{at}, state_{of}, seq_{seq} {}

  const typename Kind::state& state() const { return state_; }
  std::int64_t version() const { return seq_ + static_cast<std::int64_t>(events.size()); }

  void happened(typename Kind::event e) {
    Kind::evolve(state_, e, now, changed);
    events.push_back(std::move(e));
  }

  /// Nothing to be written.
  bool is_empty() const { return events.empty() && extra_rows.empty(); }

  /// Changes what a state holds besides what events tell: payload, whose row is carried.
  template <class Change>
  void update_payload(Change&& change) {
    change(state_);
  }

  const instant now;
  std::vector<typename Kind::event> events;
  typename Kind::changes changed;
  std::vector<row> extra_rows;  ///< payload rows that travel with the decision

private:
  typename Kind::state& state_;
  std::int64_t seq_;
};

/// A decision changes at most so many rows; what is left is due at once.
inline constexpr std::size_t changes_max = 1'000;

}  // namespace callboard
