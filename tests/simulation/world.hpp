#pragma once

#include "actors/environment.hpp"
#include "actors/id_blocks.hpp"
#include "actors/opening/actor.hpp"
#include "actors/opening/rules.hpp"
#include "actors/people/directory.hpp"
#include "actors/queue/actor.hpp"
#include "actors/supervisor.hpp"
#include "actors/timers.hpp"
#include "persistence/rows.hpp"
#include "tests/faults/faulty_store.hpp"
#include "tests/faults/store_faults.hpp"

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
using persistence::commit_status;

/// What became of a request, seen by its caller.
template <class Kind>
class probe final : public actors::request_to<Kind> {
public:
  std::optional<typename Kind::result> result;
  std::optional<refusal> no;
  std::optional<actors::replay> again;
  std::int64_t version = 0;
  int answers = 0;
  std::function<void()> heard;  ///< called in the moment of the answer

  void answer(typename Kind::result r, std::int64_t v) override {
    result = std::move(r);
    version = v;
    hear();
  }
  void refuse(refusal r) override {
    no = std::move(r);
    hear();
  }
  void answer_again(actors::replay r) override {
    again = std::move(r);
    hear();
  }
  bool accepted() const { return result.has_value(); }
  bool refused(code why) const { return no && no->what == why; }
  bool replayed() const { return again.has_value(); }
  bool succeeded() const { return accepted() || replayed(); }
  /// Stands in the journal beside everything it caused.
  const std::string& name() const { return this->by->request; }
  template <class T>
  const T& get() const {
    return std::get<T>(*result);
  }

private:
  void hear() {
    ++answers;
    if (heard)
      heard();
  }
};

using opening_probe = probe<opening::kind>;

/// What became of a registration.
class registration_probe final : public actors::registration {
public:
  std::optional<applicant> result;
  std::optional<refusal> no;
  std::optional<actors::replay> again;
  int answers = 0;

  void answer(applicant a) override {
    result = std::move(a);
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
};

/// A whole node without threads: the real actors, writer and readers on CAF's testing scheduler and a clock that only
/// moves when told. Everything that could happen happens when settle() is called.
class world {
public:
  explicit world(std::unique_ptr<persistence::store> inner = persistence::make_store("sqlite::memory:"),
                 unsigned seed = 0);
  ~world();

  /// The process dies with all it holds in memory and starts again on the same store.
  void crash();

  void settle();
  /// Only so much of it.
  void run(int steps);
  /// The same, but nothing is written.
  void settle_without_writer();
  void pass(milliseconds t);

  template <class Kind>
  std::shared_ptr<probe<Kind>> send(std::string key, typename Kind::command c, std::string idempotency_key = {}) {
    auto p = std::make_shared<probe<Kind>>();
    p->command = std::move(c);
    address(*p, {Kind::name, std::move(key)}, std::move(idempotency_key));
    dispatch(p);
    return p;
  }
  /// A question: nothing is written for it.
  template <class Kind>
  std::shared_ptr<probe<Kind>> send_read(std::string key, typename Kind::command c) {
    auto p = std::make_shared<probe<Kind>>();
    p->command = std::move(c);
    address(*p, {Kind::name, std::move(key)}, {});
    p->is_write = false;
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
  std::shared_ptr<opening_probe> send_create(opening::create c, std::string key = {});
  std::shared_ptr<opening_probe> send(const std::string& job, opening::command c, std::string key = {}) {
    return send<opening::kind>(job, std::move(c), std::move(key));
  }
  std::shared_ptr<opening_probe> ask(const std::string& job, opening::command c, std::string key = {}) {
    return ask<opening::kind>(job, std::move(c), std::move(key));
  }
  std::shared_ptr<opening_probe> send_read(const std::string& job, opening::command c) {
    return send_read<opening::kind>(job, std::move(c));
  }
  std::shared_ptr<opening_probe> read(const std::string& job, opening::command c) {
    auto p = send_read(job, std::move(c));
    settle();
    return p;
  }
  /// By e-mail, through the directory, as the public does.
  std::shared_ptr<opening_probe> send_public(const std::string& job, std::string email, std::string key = {});
  std::shared_ptr<registration_probe> send_registration(std::string name, std::string email, std::string key = {});

  void address(actors::request& r, entity_id target, std::string key);
  void dispatch(const actors::request_ptr& r);

  instant now() const { return node->time.now(); }
  std::chrono::steady_clock::time_point steady() const;

  std::int64_t count(const std::string& sql);
  std::string text(const std::string& sql);
  /// How many events a request caused.
  std::int64_t events_of(const actors::request& r);
  /// DDL and what strangers do to the store.
  void write(const std::string& sql);
  bool has_warning(std::string_view part) const;
  /// callboard verify finds nothing.
  bool verified(std::string* why = nullptr);

  simulation::store_faults*
      faults;  ///< what the store is like until it changes; `store` scripts single commits on top of it
  persistence::faulty_store store;
  bool permuted = false;  ///< jobs run in an order that the seed decides

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
    actors::timer_metrics timer_counts;
    caf::actor supervisor;
    caf::actor directory;
    caf::actor timers_actor;
  };
  std::unique_ptr<parts> node;
  /// Further kinds for the node, before it starts (again).
  std::function<void(actors::kind_hosts&, actors::environment&)> more_kinds;
  actors::supervision supervision;
  std::vector<std::string> warnings;
  int resolutions = 0;  ///< questions to the directory on behalf of applications

private:
  friend struct parts;
  bool step();
  bool ring();  ///< what is due by CAF's clock
  std::int64_t last_batch_ = 0;
  std::chrono::nanoseconds lived_{0};  ///< in lives before this one
  int sent_ = 0;
  std::mt19937 random_;
};

}  // namespace callboard::simulation
