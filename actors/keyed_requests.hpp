#pragma once

#include "actors/request.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace callboard::actors {

/// Requests with an Idempotency-Key between their arrival and their commit. The key is looked up after the arrival
/// here, so that two arrivals cannot both find nothing.
template <class Kind>
class keyed_requests {
public:
  using command_ptr = std::shared_ptr<request_to<Kind>>;

  struct entry {
    std::string fingerprint;
    command_ptr owner;
    bool is_new = false;  ///< looked up: nobody asked before
    std::optional<replay> answer;
    std::shared_ptr<std::atomic<bool>> callers_notified;  ///< set with the answer: true once the store has the record
    std::deque<command_ptr> joiners;
  };
  using entries = std::unordered_map<std::string, entry>;

  entry* find(const std::string& digest) {
    const auto it = entries_.find(digest);
    return it == entries_.end() ? nullptr : &it->second;
  }
  /// The entry that this request owns.
  entry* owned_by(const command_ptr& q) {
    auto* e = q->key ? find(q->key->digest) : nullptr;
    return e && e->owner == q ? e : nullptr;
  }
  /// The entry, and whether this arrival made it.
  std::pair<entry*, bool> arrive(const command_ptr& q) {
    forget_stored();
    const auto [it, is_first] = entries_.try_emplace(q->key->digest);
    if (is_first) {
      it->second.fingerprint = q->key->fingerprint;
      it->second.owner = q;
    }
    return {&it->second, is_first};
  }
  /// Removes the entry and returns who joined it.
  std::deque<command_ptr> take(const std::string& digest) {
    const auto it = entries_.find(digest);
    if (it == entries_.end())
      return {};
    auto joiners = std::move(it->second.joiners);
    entries_.erase(it);
    return joiners;
  }
  entries take_all() { return std::exchange(entries_, {}); }
  void clear() { entries_.clear(); }
  bool empty() const { return entries_.empty(); }

  /// Nothing waits for a look-up or a commit.
  bool settled() {
    forget_stored();
    return entries_.empty();
  }

private:
  void forget_stored() {
    std::erase_if(entries_, [](const auto& e) {
      return e.second.callers_notified && e.second.callers_notified->load(std::memory_order_acquire);
    });
  }

  entries entries_;
};

}  // namespace callboard::actors
