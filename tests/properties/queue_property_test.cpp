#include "tests/properties/queue_model.hpp"
#include "tests/rules/queue_story.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <random>
#include <stdexcept>

using namespace callboard;
using namespace callboard::tests;

namespace {

/// A random story of one queue, told to the rules and to the model at once. A crash is a state loaded from its rows.
class queue_trial {
public:
  explicit queue_trial(unsigned seed) : random_{seed} { model_.now = story_.now(); }

  void step() {
    switch (below(14)) {
    case 0:
    case 1:
    case 2:
      return enqueue();
    case 3:
    case 4:
      return claim();
    case 5:
      return complete();
    case 6:
      return fail();
    case 7:
      return release();
    case 8:
      return beat();
    case 9:
      return cancel();
    case 10:
      return redrive();
    case 11:
      return configure();
    case 12:
      return stale();
    default:
      return wait();
    }
  }

  void check() {
    for (const auto& j : model_.jobs) {
      const auto expected = j.state == "dead" ? "failed" : j.state;
      same(story_.status_of(j.id), expected, "status of " + j.id);
      same(std::to_string(story_.state().find(j.id)->attempts), std::to_string(j.attempts), "attempts of " + j.id);
    }
    same(std::to_string(story_.state().by_id.size()), std::to_string(model_.jobs.size()), "jobs");
    for (const auto& [id, how] : model_.over)
      same(story_.status_of(id), how, "end of " + id);
    same(text_of_state(story_.rows_loaded(), story_.now()), story_.words(), "load(rows)");
  }
  void check_history() { same(story_.folded(), text_of_state(story_.state(), story_.now(), false), "fold(journal)"); }
  std::string history() const { return history_; }

private:
  struct tale : queue_story {
    queue::state rows_loaded() const { return state().exists ? rows.load() : kind::initial("work"); }
    std::string words() const {
      auto& s = const_cast<queue::state&>(state());
      const auto kept = std::exchange(s.recent_claims, {});
      auto out = text_of_state(s, now());
      s.recent_claims = kept;
      return out;
    }
    std::string folded() const {
      auto s = kind::initial("work");
      for (const auto& [text, at] : journal) {
        queue::changes changed;
        kind::evolve(s, decode_event<queue::event>(text.type, text.data), at, changed);
      }
      return text_of_state(s, now(), false);
    }
  };

  int below(int n) { return std::uniform_int_distribution<int>{0, n - 1}(random_); }
  void say(std::string what) { (history_ += what) += '\n'; }
  static void same(const std::string& got, const std::string& want, const std::string& what) {
    if (got != want)
      throw std::runtime_error(what + ": got " + got + ", want " + want);
  }
  queue_model::job* any(const std::string& state) {
    std::vector<queue_model::job*> all;
    for (auto& j : model_.jobs)
      if (j.state == state)
        all.push_back(&j);
    return all.empty() ? nullptr : all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }

  void enqueue() {
    std::vector<queue::new_job> jobs;
    for (int n = below(3); n >= 0; --n) {
      auto j = story_.job("j" + std::to_string(below(1000)), below(2) ? "mail" : "sms", below(4) * 5 - 5);
      if (model_.find(j.id) || model_.over.contains(j.id) ||
          std::any_of(jobs.begin(), jobs.end(), [&](const auto& o) { return o.id == j.id; }))
        continue;
      j.max_attempts = 1 + below(3);
      if (below(4) == 0)
        j.run_at = story_.now() + seconds{below(100)};
      if (below(4) == 0)
        j.ttl_s = 1 + below(50);
      if (below(4) == 0)
        j.unique_key = "u" + std::to_string(below(4));
      if (below(2))
        j.data_text = R"({"user":)" + std::to_string(below(3)) + '}';
      jobs.push_back(std::move(j));
    }
    if (jobs.empty())
      return;
    say("enqueue " + std::to_string(jobs.size()));
    for (const auto& j : jobs) {
      if (j.unique_key && model_.holder(*j.unique_key))
        continue;
      queue_model::job m;
      m.id = j.id;
      m.type = j.type;
      m.weight = j.weight;
      m.max = j.max_attempts;
      m.created = m.since = story_.now();
      m.eligible = j.run_at && *j.run_at > story_.now() ? *j.run_at : story_.now();
      m.state = m.eligible > story_.now() ? "scheduled" : "pending";
      m.ttl_s = j.ttl_s.value_or(0);
      m.unique_key = j.unique_key.value_or("");
      if (model_.per_key > 0 && j.data_text)
        m.key = queue::flow_key_of(j, "data.user").value_or("");
      model_.jobs.push_back(std::move(m));
    }
    story_.enqueues(std::move(jobs));
  }

  void claim() {
    std::optional<std::vector<std::string>> types;
    if (below(3) == 0)
      types = below(2) ? std::vector<std::string>{"sms"} : std::vector<std::string>{"sms", "mail", "sms"};
    const auto limit = 1 + below(4);
    const auto lease_s = 1 + below(60);
    const auto token = story_.seq() + 1;
    const auto expected = model_.claim("w", types, limit, lease_s, token);
    const auto got = story_.accepts<queue::claimed_jobs>(queue::claim{"w", types, limit, lease_s, 0}).jobs;
    std::string ours, theirs;
    for (const auto& j : got)
      ours += j.id + ' ';
    for (const auto& id : expected)
      theirs += id + ' ';
    say("claim " + theirs);
    same(ours, theirs, "claim");
  }

  void complete() {
    if (auto* j = any("processing")) {
      say("complete " + j->id);
      const queue::command c = queue::complete{{{j->id, j->token, {}}}, true};
      if (j->flagged)
        story_.refuses(code::cancelled, c);
      else {
        story_.accepts<queue::job_result>(c);
        model_.end(j->id, "complete");
      }
    }
  }

  void fail() {
    auto* j = any("processing");
    if (!j)
      return;
    say("fail " + j->id);
    auto f = story_.failure(j->id);
    f.permanent = below(4) == 0;
    const auto share = below(5) / 4.0;
    story_.random = static_cast<std::uint64_t>(share * static_cast<double>((std::uint64_t{1} << 53) - 1)) << 11;
    story_.accepts<queue::job_result>(f);
    if (j->flagged)
      return model_.end(j->id, "cancelled");
    const auto pause = queue::backoff(1'000, j->attempts, share);
    j->attempts += 1;
    j->since = story_.now();
    if (f.permanent || j->attempts >= j->max)
      j->state = "dead";
    else {
      j->state = "scheduled";
      j->eligible = story_.now() + pause;
    }
    model_.settle();
    story_.pass(0ms);
  }

  void release() {
    if (auto* j = any("processing")) {
      say("release " + j->id);
      story_.accepts<queue::job_result>(queue::release{{{j->id, j->token, {}}}, true});
      if (j->flagged)
        model_.end(j->id, "cancelled");
      else
        model_.pend(*j);
    }
  }

  void beat() {
    if (auto* j = any("processing")) {
      say("heartbeat " + j->id);
      story_.accepts<queue::beat>(queue::heartbeat{j->id, j->token, {}, {}, {}});
      j->until = story_.now() + seconds{j->lease_s};
    }
  }

  void cancel() {
    const char* const states[] = {"pending", "scheduled", "processing"};
    if (auto* j = any(states[below(3)])) {
      say("cancel " + j->id);
      story_.accepts<queue::job_result>(queue::cancel{j->id, {}});
      if (j->state == "processing")
        j->flagged = true;
      else
        model_.end(j->id, "cancelled");
    }
  }

  void redrive() {
    auto* j = any("dead");
    if (!j || model_.holder(j->unique_key))
      return;
    say("redrive " + j->id);
    queue::redrive request;
    request.ids = {{j->id}};
    story_.accepts<queue::swept>(request);
    j->attempts = 0;
    j->eligible = story_.now();
    model_.pend(*j);
  }

  void configure() {
    queue::configure c;
    switch (below(5)) {
    case 0:
      c.aging_s = model_.aging_s = below(3) * 30;
      break;
    case 1:
      model_.max_in_flight = below(5);
      c.max_in_flight = model_.max_in_flight ? std::optional{model_.max_in_flight} : std::nullopt;
      break;
    case 2:
      if (model_.rate == 0) {
        model_.rate = 1 + below(3);
        model_.claims.clear();
      } else
        model_.rate = 1 + below(3);
      c.rate_per_s = std::optional{model_.rate};
      break;
    case 3:
      model_.per_key = 1 + below(2);
      c.per_key = queue::key_limit{"data.user", model_.per_key};
      break;
    default:
      c.paused = model_.paused = below(3) == 0;
    }
    say("configure");
    story_.configures(c);
  }

  /// Whoever comes with a token that is not the last one changes nothing.
  void stale() {
    if (auto* j = any(below(2) ? "processing" : "pending")) {
      const auto wrong = j->token > 1 && below(2) ? j->token - 1 : j->token + 1'000'000;
      say("stale " + j->id);
      story_.refuses(code::stale_lease, queue::complete{{{j->id, wrong, {}}}, true});
      story_.refuses(code::stale_lease, queue::heartbeat{j->id, wrong, {}, {}, {}});
    }
  }

  void wait() {
    const auto t = milliseconds{below(3) == 0 ? below(90'000) : below(2'000)};
    say("wait " + std::to_string(t.count()));
    // Second by second would be too slow; the model meets each moment at which something is due.
    const auto until = story_.now() + t;
    while (const auto due = queue::kind::deadline(story_.state())) {
      if (*due > until)
        break;
      const auto then = std::max(*due, story_.now());
      story_.pass(then - story_.now());
      model_.now = then;
      model_.settle();
    }
    story_.pass(until - story_.now());
    model_.now = until;
    model_.settle();
  }

  std::mt19937 random_;
  tale story_;
  queue_model model_;
  std::string history_;
};

int sequences() {
  const char* wanted = std::getenv("CALLBOARD_PROPERTY_SEQUENCES");
  const int n = wanted ? std::atoi(wanted) : 0;
  return n > 0 ? n : 500;
}

}  // namespace

TEST_CASE("whatever is asked of a queue, the rules do what the contract says and can be told again") {
  const char* chosen = std::getenv("CALLBOARD_TEST_SEED");
  const unsigned first = chosen ? static_cast<unsigned>(std::atoll(chosen)) : std::random_device{}();
  for (unsigned i = 0; i < static_cast<unsigned>(chosen ? 1 : sequences()); ++i) {
    queue_trial t{first + i};
    INFO("CALLBOARD_TEST_SEED=" << first + i);
    try {
      for (int n = 0; n < 150; ++n) {
        t.step();
        t.check();
      }
      t.check_history();
    } catch (const std::runtime_error& e) {
      FAIL(e.what() << "\nThe story:\n" << t.history());
    }
  }
  SUCCEED();
}
