#pragma once

#include "base/instant.hpp"
#include "messages/entity_id.hpp"
#include "messages/origin.hpp"
#include "messages/outcome.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace callboard::actors {

/// What a request with an Idempotency-Key is known by.
struct request_key {
  std::string digest;       ///< SHA-256 of (principal, entity, key)
  std::string fingerprint;  ///< SHA-256 of method, path, query and body
};

/// A stored answer, given again.
struct replay {
  success how = success::ok;
  std::string body;
};

/// The refusal of a key that was used for something else.
refusal idempotency_mismatch();

/// A command on its way to its entity and its answer on the way back. Whoever holds it last answers it; the one who
/// made it sees to it that letting go of it unanswered is an answer too (503). Answered at most once.
class request {
public:
  virtual ~request() { release_slot(); }
  request() = default;
  request(const request&) = delete;
  request& operator=(const request&) = delete;

  entity_id target;
  std::shared_ptr<const origin> by;
  std::chrono::steady_clock::time_point arrived;   ///< at the door
  std::chrono::steady_clock::time_point deadline;  ///< until then it may wait; never cut off once decided
  std::optional<request_key> key;
  std::optional<std::int64_t> if_match;
  bool is_write = true;
  bool creates = false;                ///< brings a fresh id: there is nothing to load
  bool joined = false;                 ///< waits for the outcome of an equal request
  bool lost_name = false;              ///< handed back because a name it brought belongs to somebody else
  bool parked = false;                 ///< waits for something to happen, see `patient`
  std::atomic<bool> abandoned{false};  ///< nobody is there any more to hear an answer: not worth deciding while parked
  /// Where a request goes again that lost a name; nobody when it brings none.
  std::function<void(std::shared_ptr<request>)> resolve_again;

  virtual void refuse(refusal r) = 0;
  virtual void answer_again(replay r) = 0;

  void fail(code what);

  /// Counts as one of its entity's requests until it is gone.
  void take_slot(std::shared_ptr<std::atomic<int>> slots) {
    release_slot();
    slots_ = std::move(slots);
    slots_->fetch_add(1, std::memory_order_relaxed);
  }

  /// Whoever waits for something to happen is not in flight.
  void release_slot() {
    if (slots_)
      slots_->fetch_sub(1, std::memory_order_relaxed);
    slots_.reset();
  }

private:
  std::shared_ptr<std::atomic<int>> slots_;
};

using request_ptr = std::shared_ptr<request>;

/// A request to one kind.
template <class Kind>
class request_to : public request {
public:
  typename Kind::command command;
  /// `version` is the entity's seq after the decision.
  virtual void answer(typename Kind::result result, std::int64_t version) = 0;
};

/// A command that nobody outside asked for. `ended` is told whether it was accepted.
template <class Kind>
class system_request final : public request_to<Kind> {
public:
  explicit system_request(std::function<void(bool accepted)> ended = {}) : ended_{std::move(ended)} {}
  ~system_request() override {
    if (ended_)
      ended_(accepted_);
  }
  void answer(typename Kind::result, std::int64_t) override { accepted_ = true; }
  void refuse(refusal) override {}
  void answer_again(replay) override {}

private:
  std::function<void(bool)> ended_;
  bool accepted_ = false;
};

}  // namespace callboard::actors
