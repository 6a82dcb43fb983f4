#pragma once

#include "base/instant.hpp"
#include "base/sql.hpp"
#include "messages/entity_id.hpp"
#include "messages/origin.hpp"
#include "messages/outcome.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::persistence {

/// One life of an entity's state, shared by its actor and the writer.
struct incarnation {
  explicit incarnation(std::int64_t seq) : committed{seq} {}
  std::atomic<std::int64_t> committed;  ///< the last committed seq
  std::atomic<bool> cut{false};         ///< nothing of this incarnation is written any more
  std::function<void()> on_cut;         ///< tells the actor; called by the writer, once
};

/// A finished reply that is released after the commit of its append.
class pending_reply {
public:
  virtual ~pending_reply() = default;
  virtual void release() = 0;
  virtual void fail(code why) = 0;
  /// Whether an unknown outcome must be reported to this caller: a read or refusal only depended on the batch.
  virtual bool is_write() const = 0;
  /// The append was dropped; `lost_name` when a name in it belongs to another owner. Entities get their replies back
  /// with their next load, others by `again`.
  virtual void undone(bool lost_name) = 0;
  virtual void again() = 0;
};
using replies = std::vector<std::unique_ptr<pending_reply>>;

/// One event on its way to the journal.
struct event_line {
  std::string_view type;
  instant at;
  std::optional<std::string> subject;
  std::string data;
  std::string hash;
};

/// What one decision sends to the writer. Without events and rows it only waits for the appends before it.
struct append {
  entity_id entity;
  std::shared_ptr<incarnation> life;  ///< null for rows that belong to no entity
  std::int64_t expected = 0;          ///< the head's seq before this append
  std::vector<event_line> events;
  std::shared_ptr<const origin> by;
  std::vector<row> rows;
  std::optional<instant> arm;  ///< when the entity's timer is due; armed after the commit
  persistence::replies replies;

  std::int64_t seq() const { return expected + static_cast<std::int64_t>(events.size()); }
  bool writes() const { return !events.empty() || !rows.empty(); }
};

}  // namespace callboard::persistence
