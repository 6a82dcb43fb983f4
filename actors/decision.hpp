#pragma once

#include "actors/context.hpp"
#include "base/instant.hpp"
#include "base/sql.hpp"
#include "messages/outcome.hpp"

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace callboard {

/// One decision in progress. Rules read the state and say what happened; each event is evolved at once, so that the
/// next step of the same decision (a cascade) sees it. A refusal has no events and leaves the state unchanged.
template <class Kind>
class decision {
public:
  decision(typename Kind::state& of, const callboard::context<Kind>& with, std::int64_t seq)
      : context{with}, now{with.now}, state_{of}, seq_{seq} {}
  /// With the default settings, for an anonymous principal.
  decision(typename Kind::state& of, instant at, std::int64_t seq)
      : decision{of, callboard::context<Kind>{.now = at}, seq} {}

  const typename Kind::state& state() const { return state_; }
  std::int64_t version() const { return seq_ + static_cast<std::int64_t>(events.size()); }

  void happened(typename Kind::event e) {
    Kind::evolve(state_, e, now, changed);
    events.push_back(std::move(e));
  }

  /// Nothing to be written.
  bool is_empty() const { return events.empty() && extra_rows.empty(); }

  /// Changes the part of the state that no event describes: payload, whose row is in `extra_rows`.
  template <class Change>
  void update_payload(Change&& change) {
    change(state_);
  }

  /// Set with a refusal: what the front looked up for the command is outdated. It is looked up again and the command
  /// decided anew; the refusal counts only when that happened too often.
  bool lookup_is_stale = false;

  const callboard::context<Kind> context;
  const instant now;
  std::vector<typename Kind::event> events;
  typename Kind::changes changed;
  std::vector<row> extra_rows;  ///< payload rows written with the decision

private:
  typename Kind::state& state_;
  std::int64_t seq_;
};

/// A decision changes at most so many rows; what is left is due at once.
inline constexpr std::size_t changes_max = 1'000;

}  // namespace callboard
