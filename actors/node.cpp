#include "actors/node.hpp"

#include "actors/environment.hpp"
#include "actors/id_blocks.hpp"
#include "actors/kind_host.hpp"
#include "actors/kinds.hpp"
#include "actors/people/directory.hpp"
#include "actors/people/reads.hpp"
#include "actors/supervisor.hpp"
#include "actors/timers.hpp"
#include "base/hex.hpp"
#include "base/log.hpp"
#include "base/sliding_histogram.hpp"
#include "persistence/rows.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

namespace callboard::actors {

using namespace std::chrono_literals;

namespace {

caf::actor_system_config& configured(caf::actor_system_config& c, int threads) {
  c.set("scheduler.policy", caf::atom("sharing"));
  c.set("scheduler.max-threads", static_cast<std::size_t>(threads));
  c.set("scheduler.max-throughput", std::size_t{32});
  return c;
}

instant store_time(persistence::store& s) {
  const auto reader = s.open_reader();
  return s.now(*reader);
}

std::unordered_map<std::string, persistence::request_row> stored(persistence::reader& from,
                                                                 std::vector<std::string> digests) {
  // Lists of bytes cannot be a parameter of both stores: eight at a time, the last one repeated.
  constexpr std::string_view eight = "where digest in ($1, $2, $3, $4, $5, $6, $7, $8)";
  std::unordered_map<std::string, persistence::request_row> out;
  for (std::size_t i = 0; i < digests.size(); i += 8) {
    const auto nth = [&](std::size_t k) { return bytes{digests[std::min(i + k, digests.size() - 1)]}; };
    persistence::select<persistence::request_row>(from, eight,
                                                  {nth(0), nth(1), nth(2), nth(3), nth(4), nth(5), nth(6), nth(7)},
                                                  [&](persistence::request_row&& r) {
                                                    auto key = r.digest.data;
                                                    out.emplace(std::move(key), std::move(r));
                                                  });
  }
  return out;
}

std::unordered_map<std::string, applicant_id> emails(persistence::reader& from, std::vector<std::string> wanted) {
  std::unordered_map<std::string, applicant_id> out;
  from.query("select email, id from applicants where email = any($1::text[])", {std::move(wanted)},
             [&](const persistence::result_row& r) { out.emplace(r.text(0), applicant_id{r.integer(1)}); });
  return out;
}

std::unordered_map<applicant_id, applicant> applicants(persistence::reader& from, std::vector<applicant_id> wanted) {
  std::vector<std::int64_t> ids;
  for (const auto id : wanted)
    ids.push_back(id.value);
  return people::of_ids(from, std::move(ids));
}

}  // namespace

namespace {

/// Runs what waited for a moment.
class delayed_turns final : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const turn& t) { (*t)(); }};
  }
};

node_options with_defaults(node_options o) {
  if (!o.kinds)
    o.kinds = std::make_shared<const kind_settings>();
  return o;
}

}  // namespace

struct node::parts {
  parts(node_options o, std::unique_ptr<persistence::store> s)
      : options{with_defaults(std::move(o))}, store{std::move(s)},
        last_batch{store->open(options.name)}, time{store_time(*store)}, writer{*store, last_batch, writing()},
        readers{*store, options.reader_threads}, lookups{*store, 2}, loaders{*store, 2}, pool{options.pool_threads},
        answers{lookups, stored}, known{lookups, emails}, by_id{lookups, applicants},
        system{configured(config, options.worker_threads)}, env{system,
                                                                time,
                                                                writer,
                                                                loaders,
                                                                answers,
                                                                [this](const entity_id& id, instant due) { caf::anon_send(timers_actor, arm_atom::value, id, to_ms(due)); }} {
    env.answers_kept = options.request_retention;
    ids.open(*store, "openings");
    ids.open(*store, "applicants");
    connect();
    for_each_kind([&]<class Kind>(std::type_identity<Kind>) {
      hosts.emplace(Kind::name, make_host<Kind>(env, options.kinds->of<Kind>()));
    });
    if (options.more_kinds)
      options.more_kinds(hosts, env);
    if (options.opened)
      options.opened();
    supervision how;
    how.residents_max = options.residents_max;
    how.weight_max = options.state_bytes_max;
    how.idle = options.idle;
    how.requests_max = options.entity_requests_max;
    for (auto& shard : shards)
      shard = system.spawn<supervisor>(hosts, how, occupied, env.steady_now);
    for (auto& slice : slices)
      slice = system.spawn<directory>(env, known, ids);
    delayed = system.spawn<delayed_turns>();
    timers_actor = system.spawn<timers>(
        time, lookups,
        [this](const entity_id& id) {
          caf::anon_send(shards[static_cast<std::size_t>(shard_of(id.kind, id.key))], tick_atom::value, id);
        },
        timer_counts);
    writer.start();
    maintenance_thread = std::thread{[this] { maintain(); }};
  }

  ~parts() { stop(); }

  /// What actors and fronts reach beyond themselves.
  void connect() {
    env.lookups = &lookups;
    env.readers = &readers;
    env.pool = &pool;
    env.forward = [this](request_ptr r) { forward(std::move(r)); };
    env.send = [this](request_ptr r) { send(std::move(r)); };
    env.after = [this](milliseconds pause, std::function<void()> then) {
      caf::delayed_anon_send(delayed, std::chrono::milliseconds{pause}, make_turn(std::move(then)));
    };
    env.make_request = [this](const entity_id& target, const std::any& command,
                              std::function<void(std::variant<std::any, refusal>)> done) -> request_ptr {
      const auto host = hosts.find(target.kind);
      return host == hosts.end() ? nullptr : host->second->make_request(target.key, command, std::move(done));
    };
    env.find_or_create_person = [this](std::string name, std::string email, new_applicant lost, auto sink) {
      const auto slice = stable_hash(email) % directory::slices;
      caf::anon_send(slices[slice], std::make_shared<directory::question>(directory::question{
                                        std::move(name), std::move(email), std::move(lost), std::move(sink)}));
    };
    env.find_applicant = [this](applicant_id id, auto sink) {
      by_id.ask(id, [sink = std::move(sink)](bool asked, const applicant* found) {
        if (!asked)
          sink(code::not_applied);
        else
          sink(found ? std::optional{*found} : std::nullopt);
      });
    };
  }

  void forward(request_ptr r) {
    const auto shard = static_cast<std::size_t>(shard_of(r->target.kind, r->target.key));
    caf::anon_send(shards[shard], std::move(r));
  }

  void send(request_ptr r) {
    const auto host = hosts.find(r->target.kind);
    if (host == hosts.end())
      return r->refuse({code::not_found, "There is no such kind", {}});
    host->second->admit(std::move(r));
  }

  persistence::journal_writer::options writing() {
    persistence::journal_writer::options w;
    w.batch_events_max = options.batch_events_max;
    w.batch_bytes_max = options.batch_bytes_max;
    w.patience = options.patience;
    w.arm = [this](const entity_id& id, instant due) { env.arm(id, due); };
    w.committed = [this](std::chrono::microseconds took) { commits.record(took); };
    w.on_warning = [](std::string_view what, const std::string& why) {
      log_line(log_level::warn, what, {{"why", why}});
    };
    return w;
  }

  /// From time to time: sample the store's clock, prune old answers.
  void maintain() {
    const auto reader = store->open_reader();
    std::unique_lock lock{mutex};
    for (int round = 0; !wake.wait_for(lock, 10s, [this] { return stopping; }); ++round) {
      lock.unlock();
      try {
        time.sample(store->now(*reader));
        if (std::abs(time.drift().count()) > 1'000)
          log_line(log_level::warn, "the store's clock and ours are apart", {{"ms", time.drift().count()}});
      } catch (const persistence::store_error&) {
        // The next sample will tell; until then the monotonic clock carries on.
      }
      if (round % 6 == 0) {
        prune();
        run_maintenance(*reader);
      }
      lock.lock();
    }
  }

  /// Sends the commands that the kinds' rows ask for, a bounded number at a time, until there are none.
  void run_maintenance(persistence::reader& from) {
    const auto pending = std::make_shared<std::atomic<int>>(0);
    const auto refused = std::make_shared<std::atomic<bool>>(false);
    const auto ended = [pending, refused](bool accepted) {
      if (!accepted)
        *refused = true;
      --*pending;
    };
    try {
      for (const auto& [name, host] : hosts)
        // What is refused now would be found and refused again: later.
        for (bool more = true; more && !*refused && !is_stopping();) {
          auto system_requests = host->maintenance(from, time.now(), ended);
          more = !system_requests.empty();
          *pending += static_cast<int>(system_requests.size());
          for (auto& e : system_requests)
            send_system_request(std::move(e));
          system_requests.clear();
          while (*pending > 0 && !is_stopping())
            std::this_thread::sleep_for(5ms);
        }
    } catch (const persistence::store_error&) {
      // Tried again in a minute.
    }
  }

  void send_system_request(request_ptr e) {
    std::string trace(16, '\0');
    std::random_device dice;
    std::generate(trace.begin(), trace.end(), [&] { return static_cast<char>(dice()); });
    e->by = std::make_shared<const origin>(origin{"system", "upkeep", "retention", persistence::to_hex(trace), ""});
    e->time_limit = 30s;
    forward(std::move(e));
  }

  bool is_stopping() {
    const std::lock_guard lock{mutex};
    return stopping;
  }

  void prune() {
    const auto before = to_ms(time.now() - options.request_retention);
    writer.submit([this, before](persistence::store& s) {
      const std::vector<persistence::sql_param> params{before};
      int gone = 0;
      s.write("delete from requests where digest in (select digest from requests where at < $1 limit 1000) returning "
              "status",
              params, [&](const persistence::result_row&) { ++gone; });
      if (gone == 1'000)
        prune();  // the rest, after whatever waits now
    });
  }

  void stop() {
    {
      const std::lock_guard lock{mutex};
      if (std::exchange(stopping, true))
        return;
    }
    wake.notify_all();
    maintenance_thread.join();
    pool.stop();
    writer.stop();
    try {
      ids.give_back(*store);
    } catch (const persistence::store_error&) {
      // The ids stay unused.
    }
    readers.stop();
    lookups.stop();
    loaders.stop();
    for (auto& shard : shards)
      caf::anon_send_exit(shard, caf::exit_reason::user_shutdown);
    for (auto& slice : slices)
      caf::anon_send_exit(slice, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(timers_actor, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(delayed, caf::exit_reason::user_shutdown);
    system.await_all_actors_done();  // until then any of them may still look at these handles
    shards = {};
    slices = {};
    timers_actor = nullptr;
    delayed = nullptr;
  }

  node_options options;
  std::unique_ptr<persistence::store> store;
  std::int64_t last_batch;
  timekeeper time;
  sliding_histogram commits;
  persistence::journal_writer writer;
  persistence::readers readers;  ///< of callers' lists and audits, which may take their time
  persistence::readers lookups;  ///< what commands and timers wait for
  persistence::readers loaders;  ///< of entities
  worker_pool pool;
  stored_answers answers;
  known_emails known;
  persistence::grouped<applicant_id, applicant> by_id;
  id_blocks ids;
  timer_metrics timer_counts;
  occupancy occupied;
  kind_hosts hosts;
  caf::actor_system_config config;
  caf::actor_system system;
  environment env;
  std::array<caf::actor, shard_count> shards;
  std::array<caf::actor, directory::slices> slices;
  caf::actor timers_actor;
  caf::actor delayed;

  std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false;
  std::thread maintenance_thread;
};

node::node(node_options options, std::unique_ptr<persistence::store> store)
    : parts_{std::make_unique<parts>(std::move(options), std::move(store))} {}

node::~node() = default;

void node::stop() { parts_->stop(); }

void node::send(request_ptr r) { parts_->send(std::move(r)); }

void* node::front(std::string_view kind) { return parts_->hosts.at(kind)->front(); }

void node::send(std::shared_ptr<registration> r) {
  r->accept(parts_->env.steady_now());
  const auto slice = stable_hash(r->command.email) % directory::slices;
  caf::anon_send(parts_->slices[slice], std::move(r));
}

void node::find_applicant(applicant_id id, std::function<void(std::variant<std::optional<applicant>, code>)> sink) {
  parts_->env.find_applicant(id, std::move(sink));
}

std::optional<std::int64_t> node::fresh_id(std::string_view of) { return parts_->ids.next(of, parts_->writer); }

void node::drain() {
  parts_->env.draining = true;
  for (const auto& shard : parts_->shards)
    caf::anon_send(shard, drain_atom::value);
}

persistence::readers& node::readers() { return parts_->readers; }
persistence::readers& node::lookups() { return parts_->lookups; }
persistence::store& node::store() { return *parts_->store; }
instant node::now() const { return parts_->time.now(); }

node_metrics node::metrics() const {
  const auto counted = parts_->writer.counted();
  const auto minute = parts_->commits.last_minute();
  node_metrics f;
  f.residents = parts_->occupied.residents;
  f.timers_waiting = parts_->timer_counts.waiting;
  f.timers_overdue = parts_->timer_counts.overdue;
  f.commits = counted.commits;
  f.events = counted.events;
  f.fenced = counted.fenced;
  f.poisoned = counted.poisoned;
  f.commits_per_s = minute.per_second;
  f.commit_p50_ms = minute.p50_ms;
  f.commit_p99_ms = minute.p99_ms;
  f.store_reachable = !parts_->writer.is_down();
  return f;
}

}  // namespace callboard::actors
