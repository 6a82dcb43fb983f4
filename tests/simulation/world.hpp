#pragma once

#include "actors/environment.hpp"
#include "actors/id_blocks.hpp"
#include "actors/opening/actor.hpp"
#include "actors/opening/rules.hpp"
#include "actors/people/directory.hpp"
#include "actors/supervisor.hpp"
#include "actors/timers.hpp"
#include "persistence/faulty_store.hpp"
#include "persistence/rows.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <memory>
#include <random>
#include <string>
#include <variant>

namespace callboard::simulation {

using namespace std::chrono_literals;
using persistence::ending;

/// What became of a request, seen by its caller.
template <class Kind>
class probe final : public actors::request_to<Kind> {
public:
  std::optional<typename Kind::result> result;
  std::optional<refusal> no;
  std::optional<actors::replay> again;
  std::int64_t version = 0;
  int answers = 0;

  void answer(typename Kind::result r, std::int64_t v) override {
    result = std::move(r);
    version = v;
    ++answers;
  }
  void refuse(refusal r) override {
    no = std::move(r);
    ++answers;
  }
  void answer_again(actors::replay r) override {
    again = std::move(r);
    ++answers;
  }
  bool accepted() const { return result.has_value(); }
  bool refused(code why) const { return no && no->what == why; }
  template <class T>
  const T& get() const { return std::get<T>(*result); }
};

using opening_probe = probe<opening::kind>;

/// A whole node without threads: the real actors, writer and readers on CAF's testing scheduler and a clock that only
/// moves when told. Everything that could happen happens when settle() is called.
class world {
public:
  explicit world(std::unique_ptr<persistence::store> inner = persistence::make_store("sqlite::memory:"), unsigned seed = 0);
  ~world();

  /// The process dies with all it holds in memory and starts again on the same store.
  void crash();

  void settle();
  void pass(milliseconds t);

  template <class Kind>
  std::shared_ptr<probe<Kind>> send(std::string key, typename Kind::command c, std::string idempotency_key = {}) {
    auto p = std::make_shared<probe<Kind>>();
    p->target = {Kind::name, std::move(key)};
    p->command = std::move(c);
    p->by = std::make_shared<const origin>(origin{"test", "", "", "trace", "request"});
    p->deadline = steady() + 10s;
    if (!idempotency_key.empty())
      p->key = {p->target.key + "/" + idempotency_key, "fingerprint"};
    dispatch(p);
    return p;
  }
  template <class Kind>
  std::shared_ptr<probe<Kind>> ask(std::string key, typename Kind::command c, std::string idempotency_key = {}) {
    auto p = send<Kind>(std::move(key), std::move(c), std::move(idempotency_key));
    settle();
    return p;
  }

  // Openings
  std::string create(opening::create c, std::string key = {});
  std::shared_ptr<opening_probe> send(const std::string& job, opening::command c, std::string key = {}) {
    return send<opening::kind>(job, std::move(c), std::move(key));
  }
  std::shared_ptr<opening_probe> ask(const std::string& job, opening::command c, std::string key = {}) {
    return ask<opening::kind>(job, std::move(c), std::move(key));
  }
  /// By e-mail, through the directory, as the public does.
  std::shared_ptr<opening_probe> send_public(const std::string& job, std::string email);

  void dispatch(const actors::request_ptr& r);

  instant now() const { return node->time.now(); }
  std::chrono::steady_clock::time_point steady() const;

  std::int64_t count(const std::string& sql);
  /// callboard verify finds nothing.
  bool verified(std::string* why = nullptr);

  persistence::faulty_store store;
  bool permuted = false; ///< jobs run in an order that the seed decides

  struct parts {
    parts(world& w);
    ~parts();
    caf::actor_system_config config;
    caf::actor_system system;
    caf::scheduler::test_coordinator& scheduler;
    actors::timekeeper time;
    persistence::journal_writer writer;
    persistence::readers readers;
    persistence::readers loaders;
    actors::stored_answers answers;
    actors::known_emails known;
    actors::id_blocks ids{10};
    actors::environment env;
    actors::kind_hosts hosts;
    actors::occupancy occupied;
    actors::timer_figures timer_counts;
    caf::actor supervisor;
    caf::actor directory;
    caf::actor alarm;
  };
  std::unique_ptr<parts> node;
  /// Further kinds for the node, before it starts (again).
  std::function<void(actors::kind_hosts&, actors::environment&)> more_kinds;
  actors::supervision supervision;
  std::vector<std::string> alarms;

private:
  friend struct parts;
  bool step();
  std::int64_t last_batch_ = 0;
  std::chrono::nanoseconds lived_{0}; ///< in lives before this one
  std::mt19937 random_;
};

} // namespace callboard::simulation
