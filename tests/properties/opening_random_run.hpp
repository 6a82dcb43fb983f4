#pragma once

#include "actors/opening/rules.hpp"
#include "base/json_read.hpp"
#include "tests/properties/opening_model.hpp"
#include "tests/properties/opening_steps.hpp"
#include "tests/rules/opening_store.hpp"

#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace callboard::tests {

/// The rules did not do what the model did, or broke a promise.
struct disagreement : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A state as text, for the eyes.
std::string text_of(const opening::state& s);

/// One event as the model writes it into its journal.
std::string line_of(const opening::event& e, instant at);

/// An event through its JSON text and back, as a journal keeps it.
opening::event through_text(const opening::event& e);

/// Runs the rules beside the model, as an entity's shell would, and compares them after every step.
class random_run {
public:
  random_run();

  void take(const step& s);

  /// The story in concrete words.
  std::string history() const { return history_.str(); }

private:
  struct overtaken {
    std::int64_t bound = 0;
    std::int64_t newest = 0;       ///< the last number given before the decay
    std::set<std::int64_t> ahead;  ///< newcomers who ever stood before it in the line
  };

  // Acting
  opening::kind::answer decide(const opening::command& c);
  void settle();
  void pass_to(model::ms at, bool awake);
  void command(const opening::command& c, const model::reply& expected, const std::string& words);
  void change(const opening::update& u, const std::string& words);
  std::int64_t live_count() const;
  std::int64_t somebody(int whom, bool offers_first) const;
  opening::application_id id_of(std::int64_t n) const { return opening::application_of(state_.id, n); }

  // Judging
  void compare_all();
  void compare_journal();
  void compare_pipeline();
  void compare_queue();
  void compare_summary();
  void compare_status();
  void compare_due();
  void compare_stored();
  void check_promises();
  void check_overtaking();
  std::optional<double> exact_eta(std::int64_t position) const;
  bool is_eta(const std::optional<std::int64_t>& shown, std::int64_t position) const;

  template <class Answer, class Question>
  Answer ask(const Question& q);
  template <class X, class Y>
  void same(const X& rules, const Y& model, const std::string& what) const;
  void require(bool holds, const std::string& what) const {
    if (!holds)
      throw disagreement(what);
  }

  opening::state state_;
  opening::state folded_;
  model::opening model_;
  opening_store store_;
  std::vector<std::string> journal_;
  std::size_t journal_compared_ = 0;
  std::int64_t seq_ = 0;
  model::ms now_ = 0;
  std::int64_t tail_seen_ = 0;
  std::int64_t numbers_given_ = 0;
  std::map<std::int64_t, overtaken> decayed_;
  std::ostringstream history_;
};

}  // namespace callboard::tests
