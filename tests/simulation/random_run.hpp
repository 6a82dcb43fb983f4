#pragma once

#include "counter_kind.hpp"
#include "second_writer.hpp"

#include <map>
#include <random>
#include <string>
#include <vector>

namespace callboard::simulation {

/// One random history: callers, faults and crashes as a seed decides, and what must hold whatever happened. Everything
/// that does not hold is a sentence in `complaints`.
class random_run {
public:
  explicit random_run(unsigned seed);

  void run();

  std::vector<std::string> complaints;
  std::uint64_t trace() const { return trace_; }  ///< the same seed makes the same one
  int commands() const { return static_cast<int>(callers_.size()); }
  int faults() const { return faults_; }

private:
  /// A request and what its effect would be.
  struct caller {
    std::shared_ptr<actors::request> request;
    std::function<int()> answers;
    std::function<std::optional<code>()> refused;  ///< why, if it was
    std::function<bool()> accepted, replayed;
    std::function<std::int64_t()> version;
    bool changes = true;  ///< has an effect when it is accepted
    std::string key;      ///< shared by all that ask for the same thing
    std::string email;
    bool lost = false;  ///< its process died before it was answered
  };

  template <class Kind>
  void add(std::shared_ptr<probe<Kind>> p, bool changes, std::string key = {}, std::string email = {});

  void act();
  void command();
  void fault();
  void storm();
  void crash();
  void calm();

  void check_answers();
  void check_keys();
  void check_people();
  void check_openings();
  void check_counters();
  void check_timers();
  void remember();
  void require(bool holds, const std::string& what);

  int any(int n) { return std::uniform_int_distribution<int>{0, n - 1}(random_); }
  bool often(int percent) { return any(100) < percent; }
  std::string some_opening() { return openings_[static_cast<std::size_t>(any(static_cast<int>(openings_.size())))]; }
  std::int64_t primary_events(const std::string& request);
  std::int64_t stored_version(const entity_id& e);

  std::mt19937 random_;
  counting::counting_world world_;
  std::vector<std::string> openings_;
  std::vector<caller> callers_;
  std::unordered_map<entity_id, std::int64_t> told_;  ///< the latest version that anybody was told
  int faults_ = 0;
  int strangers_ = 0;
  bool over_ = false;  ///< no stranger interferes any more
  std::uint64_t trace_ = 0;
};

}  // namespace callboard::simulation
