#pragma once

#include "second_writer.hpp"
#include "world.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace callboard::simulation {

/// One random history: callers, faults and crashes as a seed decides, and what must hold whatever happened. Everything
/// that does not hold is a sentence in `complaints`. What is asked for and what else must hold is up to who derives.
class random_run {
public:
  virtual ~random_run() = default;
  random_run(const random_run&) = delete;
  random_run& operator=(const random_run&) = delete;

  void run();

  std::vector<std::string> complaints;
  std::uint64_t trace() const { return trace_; }  ///< the same seed makes the same one
  int commands() const { return static_cast<int>(callers_.size()); }
  int faults() const { return faults_; }

protected:
  /// A request and what its effect would be.
  struct caller {
    std::shared_ptr<actors::request> request;
    std::function<int()> answers;
    std::function<std::optional<code>()> refused;  ///< why, if it was
    std::function<bool()> accepted, replayed;
    std::function<std::int64_t()> version;
    bool changes = true;  ///< has an effect when it is accepted
    std::string key;      ///< shared by all that ask for the same thing
    bool lost = false;    ///< its process died before it was answered
  };

  /// `primary` lists event types as SQL does, in parentheses: every decision of a caller has one of these.
  random_run(world& in, unsigned seed, std::string primary) : random_{seed}, in_{in}, primary_{std::move(primary)} {}

  virtual void command() = 0;
  /// Before the next commit another process decides something.
  virtual void interfere() = 0;
  /// Who does not write does not notice that somebody else did: a last command to each entity.
  virtual void touch_all() = 0;
  virtual void check() = 0;

  template <class Kind>
  void add(std::shared_ptr<probe<Kind>> p, bool changes, std::string key = {});
  void require(bool holds, const std::string& what);

  int any(int n) { return std::uniform_int_distribution<int>{0, n - 1}(random_); }
  bool often(int percent) { return any(100) < percent; }
  const std::string& some(const std::vector<std::string>& of) {
    return of[static_cast<std::size_t>(any(static_cast<int>(of.size())))];
  }

  std::mt19937 random_;
  std::vector<caller> callers_;
  bool over_ = false;  ///< no other process interferes any more

private:
  void act();
  void fault();
  void storm();
  void crash();
  void calm();

  void check_answers();
  void check_keys();
  void check_timers();
  void remember();
  std::int64_t primary_events(const std::string& request);
  std::int64_t stored_version(const entity_id& e);

  world& in_;
  std::string primary_;
  std::unordered_map<entity_id, std::int64_t> reported_;  ///< the latest version that anybody was told
  int faults_ = 0;
  std::uint64_t trace_ = 0;
};

template <class Kind>
void random_run::add(std::shared_ptr<probe<Kind>> p, bool changes, std::string key) {
  auto* raw = p.get();
  p->heard = [this, raw, changes, keyed = !key.empty(), floor = reported_[p->target]] {
    if (raw->replayed())
      require(keyed, raw->name() + " was answered again without a key");
    if (!raw->accepted())
      return;
    // Nothing leaves before its commit.
    require(!changes || primary_events(raw->name()) == 1, raw->name() + " was accepted before its commit");
    require(raw->version <= stored_version(raw->target), raw->name() + " saw what was not committed");
    // What somebody was told before it was sent, it sees.
    require(raw->version >= floor, raw->name() + " did not see what others had been told");
    auto& reported = reported_[raw->target];
    reported = std::max(reported, raw->version);
  };
  callers_.push_back({p, [raw] { return raw->answers; },
                      [raw] { return raw->no ? std::optional{raw->no->what} : std::nullopt; },
                      [raw] { return raw->accepted(); }, [raw] { return raw->replayed(); },
                      [raw] { return raw->version; }, changes, std::move(key), false});
}

}  // namespace callboard::simulation
