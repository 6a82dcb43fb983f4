#pragma once

#include "base/instant.hpp"
#include "messages/entity_id.hpp"
#include "messages/origin.hpp"
#include "messages/outcome.hpp"
#include "messages/principal.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace callboard::actors {

/// An Idempotency-Key and what it was sent with.
struct request_key {
  std::string scope;        ///< of the principal
  std::string text;         ///< as the caller wrote it
  std::string fingerprint;  ///< SHA-256 of method, path, query and body
  std::string digest;       ///< SHA-256 of (scope, entity, text): the key of its record

  /// A create has no entity yet: its key is one of the whole kind.
  void bind(const entity_id& target, bool creates);
};

/// A stored answer, given again.
struct replay {
  success how = success::ok;
  std::string body;
};

/// The refusal of a key that was used for something else.
refusal idempotency_mismatch();

/// A command on its way to its entity and its answer on the way back. It carries data only, so that another node could
/// have sent it; when it arrived and until when it may wait is stamped by the node that owns the entity. Whoever holds
/// it last answers it; its maker makes sure that dropping it unanswered is an answer too (503). Answered at most once.
class request {
public:
  using clock = std::chrono::steady_clock;

  virtual ~request() { release_slot(); }
  request() = default;
  request(const request&) = delete;
  request& operator=(const request&) = delete;

  entity_id target;
  std::shared_ptr<const principal> who;  ///< none: anonymous
  std::shared_ptr<const origin> by;
  milliseconds time_limit{10'000};  ///< how long it may wait from now on; never cut off once decided
  std::optional<request_key> key;
  std::optional<std::int64_t> if_match;
  bool is_write = true;
  bool creates = false;                ///< brings a fresh id: there is nothing to load
  bool is_internal = false;            ///< from an entity of ours: does not count against the limit of callers
  std::atomic<bool> abandoned{false};  ///< the caller is gone: a waiting request is not decided any more

  virtual void refuse(refusal r) = 0;
  virtual void answer_again(replay r) = 0;

  void fail(code what);

  const principal& asker() const { return who ? *who : anonymous_principal; }

  // On the owner's node

  /// Stamps the arrival, once; the time limit counts from here.
  void accept(clock::time_point now) {
    if (accepted_ != clock::time_point{})
      return;
    accepted_ = now;
    deadline_ = now + time_limit;
  }
  /// Has what is left of the other one's time.
  void accept_as(const request& other) {
    accepted_ = other.accepted_;
    deadline_ = other.deadline_;
  }
  clock::time_point accepted() const { return accepted_; }
  clock::time_point deadline() const { return deadline_; }
  /// Its wait for something to happen is over: from now on it only waits to be decided.
  void renew(clock::time_point now) { deadline_ = now + time_limit; }

  int lookups = 0;         ///< how often the front had to look up again
  bool joined = false;     ///< waits for the outcome of an equal request
  bool lost_name = false;  ///< handed back because a name it brought belongs to somebody else
  bool waiting = false;    ///< for something to happen to its entity, see `can_wait`

  /// Counts as one of its entity's requests until it is gone.
  void take_slot(std::shared_ptr<std::atomic<int>> slots) {
    release_slot();
    slots_ = std::move(slots);
    slots_->fetch_add(1, std::memory_order_relaxed);
  }

  /// A request that waits for something to happen is not in flight.
  void release_slot() {
    if (slots_)
      slots_->fetch_sub(1, std::memory_order_relaxed);
    slots_.reset();
  }

private:
  clock::time_point accepted_;
  clock::time_point deadline_;
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

/// A request that takes the place of another one: what a front sends to an entity on behalf of its caller.
template <class Kind>
void act_for(request& inner, const request& outer, std::string key) {
  inner.target = {Kind::name, std::move(key)};
  inner.who = outer.who;
  inner.by = outer.by;
  inner.time_limit = outer.time_limit;
  inner.is_write = outer.is_write;
  inner.if_match = outer.if_match;
  inner.key = outer.key;
  inner.accept_as(outer);
  if (inner.key)
    inner.key->bind(inner.target, inner.creates);
}

/// A command that no caller sent. `ended` is told whether it was accepted.
template <class Kind>
class system_request final : public request_to<Kind> {
public:
  explicit system_request(std::function<void(bool accepted)> ended = {}) : ended_{std::move(ended)} {
    this->who = system();
    this->is_internal = true;
  }
  ~system_request() override {
    if (ended_)
      ended_(accepted_);
  }
  void answer(typename Kind::result, std::int64_t) override { accepted_ = true; }
  void refuse(refusal) override {}
  void answer_again(replay) override {}

private:
  static std::shared_ptr<const principal> system() {
    static const auto one = std::make_shared<const principal>(system_principal);
    return one;
  }
  std::function<void(bool)> ended_;
  bool accepted_ = false;
};

}  // namespace callboard::actors
