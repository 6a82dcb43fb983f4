#pragma once

#include "persistence/store.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace callboard::persistence {

/// Threads that run queries, each with a connection of its own. Without threads tests call run_one.
class readers {
public:
  using job = std::function<void(reader&)>;

  readers(store& from, int threads);
  ~readers();
  readers(const readers&) = delete;
  readers& operator=(const readers&) = delete;

  /// The job must catch store_error itself; any other exception ends the process.
  void submit(job j);
  /// Runs one waiting job here; false when there is none.
  bool run_one();
  void stop();

private:
  void loop();

  store& store_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<job> jobs_;
  bool stopping_ = false;
  std::unique_ptr<reader> own_;  ///< connection of run_one
  std::vector<std::thread> threads_;
};

/// Groups look-ups: keys are asked for one by one and queried together; while one query runs, the next group collects.
template <class Key, class Value>
class grouped {
public:
  using answers = std::unordered_map<Key, Value>;
  using look_up = std::function<answers(reader&, std::vector<Key>)>;
  /// `asked` is false when the store did not answer; `found` is null when it has no such key.
  using sink = std::function<void(bool asked, const Value* found)>;

  grouped(readers& pool, look_up how, std::size_t group_max = 1'000, int at_once = 1)
      : pool_{pool}, how_{std::move(how)}, group_max_{group_max}, at_once_{at_once} {}

  void ask(Key key, sink done) {
    const std::lock_guard lock{mutex_};
    waiting_.emplace_back(std::move(key), std::move(done));
    if (running_ < at_once_)
      schedule();
  }

private:
  void schedule() {
    running_ += 1;
    pool_.submit([this](reader& from) { run(from); });
  }

  void run(reader& from) {
    std::vector<std::pair<Key, sink>> group;
    {
      const std::lock_guard lock{mutex_};
      const auto n = std::min(group_max_, waiting_.size());
      group.assign(std::move_iterator{waiting_.begin()},
                   std::move_iterator{waiting_.begin() + static_cast<std::ptrdiff_t>(n)});
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(n));
    }
    std::vector<Key> keys;
    for (const auto& [key, done] : group)
      keys.push_back(key);
    answers found;
    bool asked = true;
    try {
      found = how_(from, std::move(keys));
    } catch (const std::exception&) {
      asked = false;  // also when a row cannot be read
    }
    for (auto& [key, done] : group) {
      const auto it = found.find(key);
      done(asked, it == found.end() ? nullptr : &it->second);
    }
    const std::lock_guard lock{mutex_};
    running_ -= 1;
    if (!waiting_.empty())
      schedule();
  }

  readers& pool_;
  look_up how_;
  std::size_t group_max_;
  std::mutex mutex_;
  std::vector<std::pair<Key, sink>> waiting_;
  int at_once_;
  int running_ = 0;  ///< queries scheduled or running
};

}  // namespace callboard::persistence
