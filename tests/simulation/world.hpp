#pragma once

#include "actors/environment.hpp"
#include "actors/id_blocks.hpp"
#include "actors/kind_host.hpp"
#include "actors/request.hpp"
#include "actors/supervisor.hpp"
#include "actors/timers.hpp"
#include "persistence/rows.hpp"
#include "tests/faults/faulty_store.hpp"
#include "tests/faults/store_faults.hpp"
#include "tests/sample/rules.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace callboard::simulation {

using namespace std::chrono_literals;
using persistence::commit_status;

/// A key as the store knows it: by its digest.
inline actors::request_key the_key(std::string digest) { return {{}, {}, "fingerprint", std::move(digest)}; }

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

using sample_probe = std::shared_ptr<probe<sample::kind>>;

class world;
struct node_parts;

/// Actors of a node that are no entities. They live as long as its process.
class extra_actors {
public:
  virtual ~extra_actors() = default;
  /// Sends them away; the object goes when they have gone.
  virtual void stop() = 0;
};

using host_maker = std::function<std::unique_ptr<actors::kind_host>(actors::environment&)>;

/// What a node has beside the sample kind.
struct node_setup {
  std::vector<host_maker> kinds{};
  std::vector<std::string> ids{};  ///< names of blocks of fresh ids
  std::function<std::unique_ptr<extra_actors>(node_parts&)> extra{};
};

/// Kinds for a `node_setup`.
template <class... Kinds>
std::vector<host_maker> hosting() {
  return {[](actors::environment& env) { return actors::make_host<Kinds>(env, default_settings<Kinds>); }...};
}

/// One process of the node.
struct node_parts {
  explicit node_parts(world& w);
  void connect(world& w);
  ~node_parts();
  caf::actor_system_config config;
  caf::actor_system system;
  caf::scheduler::test_coordinator& scheduler;
  actors::timekeeper time;
  persistence::journal_writer writer;
  persistence::readers readers;
  persistence::readers loaders;
  actors::worker_pool pool;
  actors::stored_answers answers;
  actors::id_blocks ids{10};
  actors::environment env;
  actors::kind_hosts hosts;
  actors::occupancy occupied;
  actors::timer_metrics timer_counts;
  caf::actor supervisor;
  caf::actor timers_actor;
  std::unique_ptr<extra_actors> extra;
};

/// A whole node without threads: the real actors, writer and readers on CAF's testing scheduler and a clock that only
/// moves when told. Everything that could happen happens when settle() is called.
class world {
public:
  explicit world(std::unique_ptr<persistence::store> inner = persistence::make_store("sqlite::memory:"),
                 unsigned seed = 0, node_setup setup = {});
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

  // The sample kind
  /// A counter with a fresh id; its key.
  std::string create(std::int64_t limit = 1'000, std::string key = {});
  sample_probe send_create(std::int64_t limit = 1'000, std::string key = {});
  sample_probe send(const std::string& counter, sample::command c, std::string key = {});
  sample_probe ask(const std::string& counter, sample::command c, std::string key = {});
  sample_probe send_read(const std::string& counter);
  /// The counter as it is now.
  sample_probe read(const std::string& counter);

  void address(actors::request& r, entity_id target, std::string key);
  void dispatch(const actors::request_ptr& r);

  instant now() const { return node->time.now(); }
  std::chrono::steady_clock::time_point steady() const;

  std::int64_t count(const std::string& sql);
  std::string text(const std::string& sql);
  /// What the store says of a counter, 0 when it has none.
  std::int64_t stored_sum(const std::string& counter);
  /// How many events a request caused.
  std::int64_t events_of(const actors::request& r);
  /// DDL, and what other processes do to the store.
  void write(const std::string& sql);
  bool has_warning(std::string_view part) const;
  /// `callboard verify` finds nothing, nor does it in the sample kind.
  bool verified(std::string* why = nullptr);

  /// What the store is like until it changes; `store` scripts single commits on top of it.
  simulation::store_faults* faults;
  persistence::faulty_store store;
  bool permuted = false;  ///< jobs run in an order that the seed decides

  std::unique_ptr<node_parts> node;
  actors::supervision supervision;
  std::vector<std::string> warnings;
  std::function<void(actors::request&)> on_send;  ///< sees what entities ask each other
  int resolutions = 0;                            ///< names of counters that were looked up because they were lost

private:
  friend struct node_parts;
  bool step();
  bool fire_timeout();  ///< one that is due by CAF's clock
  node_setup setup_;
  std::int64_t last_batch_ = 0;
  std::chrono::nanoseconds lived_{0};  ///< in lives before this one
  int sent_ = 0;
  std::mt19937 random_;
};

/// What a counter was when it answered.
inline const sample::counter& counter_in(const sample_probe& p) { return p->get<sample::counter>(); }
inline std::int64_t sum_in(const sample_probe& p) { return counter_in(p).sum; }

inline entity_id the_counter(const std::string& key) { return {sample::kind::name, key}; }

inline std::string count_of(std::string_view type) {
  return "select count(*) from journal where type = '" + std::string{type} + "'";
}

}  // namespace callboard::simulation
