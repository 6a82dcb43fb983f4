#pragma once

#include "persistence/append.hpp"
#include "persistence/batch_builder.hpp"
#include "persistence/store.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_map>
#include <variant>

namespace callboard::persistence {

/// Commits the appends of all entities: takes what is waiting as one batch, commits it in one transaction and releases
/// its replies. One batch is in flight at a time, because a later batch must not commit without an earlier one; the
/// next is built when the outcome of the last is known. docs/architecture.md has the table of what happens when a batch
/// fails.
class journal_writer {
public:
  using clock = std::chrono::steady_clock;

  struct options {
    std::size_t batch_events_max = 1'000;
    std::size_t batch_bytes_max = std::size_t{1} << 20;
    std::chrono::milliseconds patience{5'000};
    unsigned seed = std::random_device{}();  ///< of the jitter in pauses
    std::function<clock::time_point()> now = [] { return clock::now(); };
    std::function<void(const entity_id&, instant)> arm = [](const entity_id&, instant) {};
    std::function<void(std::chrono::microseconds)> committed = [](std::chrono::microseconds) {};
    std::function<void(std::string_view what, const std::string& why)> on_warning = [](std::string_view,
                                                                                       const std::string&) {};
  };

  /// Runs when everything that its entity submitted before is settled; takes the replies of commands that were handed
  /// back.
  using load = std::function<void(replies)>;
  /// A small write in a transaction of its own; run again when it throws store_error.
  using chore = std::function<void(store&)>;

  journal_writer(store& to, std::int64_t last_batch, options how);
  ~journal_writer();
  journal_writer(const journal_writer&) = delete;
  journal_writer& operator=(const journal_writer&) = delete;

  // May be called from any thread.
  void submit(append a);
  void submit(std::vector<append> all);
  void submit(entity_id behind, load go);
  void submit(chore c);
  /// Nothing can be written now: new commands are refused instead of decided.
  bool is_down() const { return down_.load(std::memory_order_relaxed); }
  /// How often the store went back in time. What was read in an earlier generation may not be in the store any more.
  std::int64_t store_generation() const { return store_generation_.load(std::memory_order_acquire); }

  void start();
  /// Commits what was submitted, gives up on what cannot be committed, ends the thread.
  void stop();

  /// One round without waiting; false when there was nothing to do. For tests, which have no thread.
  bool step();

  struct metrics {
    std::int64_t commits = 0, events = 0, fenced = 0, poisoned = 0;
  };
  metrics counted() const;

private:
  using item = std::variant<append, std::pair<entity_id, load>, chore>;

  /// What one entity has submitted and what is not settled yet, in order.
  struct lane {
    entity_id of;
    std::deque<std::variant<append, load>> items;
    int in_flight = 0;    ///< appends in the current batch
    bool queued = false;  ///< is in ready_
    replies handed_back;  ///< of commands that the next incarnation decides again
  };

  void run();
  bool do_chores();
  void attempt();
  void finish();
  bool reconnect();
  void back_off();

  // Lanes and batches
  bool intake();
  void receive(append a);
  void receive(entity_id behind, load go);
  void enqueue(lane& l, std::variant<append, load> i);
  bool build();
  void release_flight();
  void settle(lane& l);
  void take_back();
  lane& lane_of(const entity_id& e);

  // Failures
  void lost_heads(const commit_outcome& o);
  void lost_names(const commit_outcome& o);
  void poisoned(const commit_outcome& o);
  void retry_or_give_up(const commit_outcome& o, clock::time_point since);
  void went_backwards();
  void cut(lane& l);
  void hand_back(lane* l, append& a, bool lost_name);
  void drop_waiting(code why);
  static void fail(append& a, code why);
  static void end_incarnation(incarnation& life);

  store& store_;
  options how_;
  std::int64_t last_batch_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<item> incoming_;
  bool stopping_ = false;
  std::thread thread_;
  std::atomic<bool> down_{false};
  std::atomic<std::int64_t> store_generation_{0};

  std::unordered_map<entity_id, lane> lanes_;
  std::deque<lane*> ready_;  ///< lanes with something to take, in turn
  std::deque<chore> chores_;

  // The batch in flight
  std::vector<append> flight_;
  batch batch_{};
  bool in_doubt_ = false;          ///< it may have committed; only sending it again can tell
  bool callers_notified_ = false;  ///< its callers were answered OUTCOME_UNKNOWN
  bool connected_ = true;
  std::optional<clock::time_point> failing_since_;
  std::optional<clock::time_point> retry_at_;
  std::chrono::milliseconds pause_{0};
  std::size_t appends_max_ = SIZE_MAX;  ///< per batch; smaller while a poisoned append is searched for
  std::size_t suspects_ = 0;            ///< appends at the front of the lanes of which one is poisoned
  clock::time_point maintained_{};
  std::minstd_rand random_;

  std::atomic<std::int64_t> commits_{0}, events_{0}, fenced_{0}, poisoned_{0};
};

}  // namespace callboard::persistence
