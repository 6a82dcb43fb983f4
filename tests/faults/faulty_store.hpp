#pragma once

#include "persistence/batch.hpp"
#include "persistence/store.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace callboard::persistence {

/// For tests: a store whose commits, reconnects and reads fail by a script. Calls that are not scripted go to the inner
/// store. The script may be changed from any thread.
class faulty_store final : public store {
public:
  /// Replaces one commit; may commit on the inner store or not, and returns any outcome.
  using fault = std::function<commit_outcome(const batch&, store& inner)>;

  explicit faulty_store(std::unique_ptr<store> inner);
  ~faulty_store() override;

  /// The next commits, one fault each, in the order of the calls.
  void next(fault f, int times = 1);
  /// Returns this status without committing: transient, full, down, poison, or unknown as after a lost statement.
  void fails(commit_status how, int times = 1);
  /// Commits and returns unknown.
  void loses_reply(int times = 1);
  /// Returns unknown; the batch commits later: by settle(), or at the latest during a reconnect.
  void commits_late(int times = 1);
  /// Moves this entity's head before the commit, as a second writer would.
  void moves_head(const entity_id& entity);
  void fails_reconnects(int times);
  void fails_reads(int times);
  /// Commits late batches now.
  void settle();

  int commits() const;     ///< calls of commit
  int reconnects() const;  ///< calls of reconnect
  store& inner() { return *inner_; }

  std::int64_t open(std::string_view node) override { return inner_->open(node); }
  commit_outcome commit(const batch& b) override;
  void write(std::string_view sql, std::span<const sql_param> params, const reader::row_sink& sink) override;
  std::int64_t reconnect() override;
  void maintain() override { inner_->maintain(); }
  std::unique_ptr<reader> open_reader() override;
  instant now(reader& on) override;
  std::string_view name() const override { return inner_->name(); }
  std::string_view durability() const override { return inner_->durability(); }

private:
  friend class faulty_reader;
  class late_batch;
  bool takes(int& left);

  std::unique_ptr<store> inner_;
  mutable std::mutex mutex_;
  std::deque<fault> script_;
  std::deque<std::unique_ptr<late_batch>> late_;
  int failing_reconnects_ = 0;
  int failing_reads_ = 0;
  int commits_ = 0;
  int reconnects_ = 0;
};

}  // namespace callboard::persistence
