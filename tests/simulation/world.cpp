#include "world.hpp"

#include "actors/verify.hpp"
#include "persistence/verify.hpp"
#include "tests/sample/load.hpp"

#include <algorithm>
#include <sstream>

namespace callboard::simulation {
namespace {

const instant epoch = from_ms(1'767'225'600'000);  // 2026-01-01

caf::actor_system_config& testing(caf::actor_system_config& c) {
  c.set("scheduler.policy", caf::atom("testing"));
  return c;
}

std::unordered_map<std::string, persistence::request_row> stored(persistence::reader& from,
                                                                 std::vector<std::string> digests) {
  std::unordered_map<std::string, persistence::request_row> out;
  for (const auto& d : digests)
    persistence::select<persistence::request_row>(from, "where digest = $1", {bytes{d}},
                                                  [&](persistence::request_row&& r) { out.emplace(d, std::move(r)); });
  return out;
}

persistence::journal_writer::options writing(world& w) {
  persistence::journal_writer::options o;
  o.seed = 1;
  o.now = [&w] { return w.steady(); };
  o.arm = [&w](const entity_id& id, instant due) {
    if (w.node)
      w.node->env.arm(id, due);
  };
  o.on_warning = [&w](std::string_view what, const std::string&) { w.warnings.emplace_back(what); };
  return o;
}

}  // namespace

node_parts::node_parts(world& w)
    : system{testing(config)}, scheduler{dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())},
      time{epoch + std::chrono::floor<milliseconds>(w.lived_), [&w] { return w.steady().time_since_epoch(); }},
      writer{w.store, w.last_batch_, writing(w)}, readers{w.store, 0}, loaders{w.store, 0}, pool{0},
      answers{readers, stored}, env{system,
                                    time,
                                    writer,
                                    loaders,
                                    answers,
                                    [this](const entity_id& id, instant due) {
                                      caf::anon_send(timers_actor, actors::arm_atom::value, id, to_ms(due));
                                    },
                                    [&w] { return w.steady(); }} {
  ids.open(w.store, "samples");
  for (const auto& name : w.setup_.ids)
    ids.open(w.store, name);
  connect(w);
  hosts.emplace(sample::kind::name, actors::make_host<sample::kind>(env, {&w.resolutions}));
  for (const auto& make : w.setup_.kinds) {
    auto host = make(env);
    hosts.emplace(host->name(), std::move(host));
  }
  supervisor = system.spawn<actors::supervisor>(hosts, w.supervision, occupied, env.steady_now);
  timers_actor = system.spawn<actors::timers>(
      time, readers, [this](const entity_id& id) { caf::anon_send(supervisor, actors::tick_atom::value, id); },
      timer_counts);
  if (w.setup_.extra)
    extra = w.setup_.extra(*this);
}

void node_parts::connect(world& w) {
  env.lookups = &readers;
  env.readers = &readers;
  env.pool = &pool;
  env.forward = [this](actors::request_ptr r) {
    if (supervisor)  // else the process is dying
      caf::anon_send(supervisor, std::move(r));
  };
  env.send = [this, &w](actors::request_ptr r) {
    if (w.on_send)
      w.on_send(*r);
    hosts.at(r->target.kind)->admit(std::move(r));
  };
  env.make_request = [this](const entity_id& target, const std::any& command,
                            std::function<void(std::variant<std::any, refusal>)> done) {
    return hosts.at(target.kind)->make_request(target.key, command, std::move(done));
  };
}

node_parts::~node_parts() {
  caf::anon_send_exit(supervisor, caf::exit_reason::kill);
  caf::anon_send_exit(timers_actor, caf::exit_reason::kill);
  supervisor = timers_actor = nullptr;
  if (extra)
    extra->stop();
  while (scheduler.try_run_once()) {
  }
  // A delayed message that is still pending would keep the system from ending.
  scheduler.clock().cancel_all();
}

world::world(std::unique_ptr<persistence::store> inner, unsigned seed, node_setup setup)
    : faults{new simulation::store_faults{std::move(inner)}}, store{std::unique_ptr<persistence::store>{faults}},
      setup_{std::move(setup)}, random_{seed} {
  last_batch_ = store.open("main");
  sample::create_tables(faults->behind());
  node = std::make_unique<node_parts>(*this);
  settle();
}

world::~world() = default;

void world::crash() {
  lived_ = steady().time_since_epoch();
  node.reset();
  store.settle();  // what was under way commits or dies before the next process has the store
  last_batch_ = count("select batch from writers");  // a memory store would forget everything if opened again
  node = std::make_unique<node_parts>(*this);
  settle();
}

std::chrono::steady_clock::time_point world::steady() const {
  std::chrono::steady_clock::time_point t{lived_};
  return node ? t + node->scheduler.clock().now().time_since_epoch() : t;
}

bool world::step() {
  if (!permuted)
    return node->scheduler.try_run_once() || node->writer.step() || node->readers.run_one() ||
           node->loaders.run_one() || node->pool.run_one();
  auto& jobs = node->scheduler.jobs;
  if (jobs.size() > 1)
    std::swap(jobs.front(), jobs[std::uniform_int_distribution<std::size_t>{0, jobs.size() - 1}(random_)]);
  const auto first = std::uniform_int_distribution<int>{0, 4}(random_);
  for (int i = 0; i < 5; ++i) {
    const bool did = (first + i) % 5 == 0   ? node->scheduler.try_run_once()
                     : (first + i) % 5 == 1 ? node->writer.step()
                     : (first + i) % 5 == 2 ? node->readers.run_one()
                     : (first + i) % 5 == 3 ? node->pool.run_one()
                                            : node->loaders.run_one();
    if (did)
      return true;
  }
  return false;
}

bool world::fire_timeout() {
  auto& clock = node->scheduler.clock();
  return clock.has_pending_timeout() && clock.schedule().begin()->first <= clock.now() && clock.trigger_timeout();
}

void world::settle() {
  while (step() || fire_timeout()) {
  }
}

void world::run(int steps) {
  while (steps-- > 0 && (step() || fire_timeout())) {
  }
}

void world::settle_without_writer() {
  while (node->scheduler.try_run_once() || node->readers.run_one() || node->loaders.run_one()) {
  }
}

void world::pass(milliseconds t) {
  settle();
  auto& clock = node->scheduler.clock();
  const auto end = clock.now() + t;
  while (clock.now() < end) {
    // In small steps, for the writer's pauses are not CAF's timers.
    auto to = std::min<caf::actor_clock::time_point>(end, clock.now() + 50ms);
    if (clock.has_pending_timeout() && clock.schedule().begin()->first < to)
      to = std::max(clock.now(), clock.schedule().begin()->first);
    if (to > clock.now())
      clock.advance_time(to - clock.now());
    else
      clock.trigger_timeout();
    settle();
  }
}

void world::address(actors::request& r, entity_id target, std::string key) {
  if (!key.empty())
    r.key = the_key(target.key + "/" + key);
  r.target = std::move(target);
  r.by = std::make_shared<const origin>(origin{"test", "", "", "trace", "r" + std::to_string(++sent_)});
}

void world::dispatch(const actors::request_ptr& r) {
  if (!node)
    return;  // the process is dying
  r->accept(steady());
  node->env.forward(r);
}

sample_probe world::send_create(std::int64_t limit, std::string key) {
  auto p = std::make_shared<probe<sample::kind>>();
  address(*p, the_counter(std::to_string(node->ids.next("samples", node->writer).value())), {});
  p->command = sample::create{limit};
  p->creates = true;
  if (!key.empty())  // a create has no entity yet: its key is one of the whole kind
    p->key = the_key(key);
  dispatch(p);
  return p;
}

std::string world::create(std::int64_t limit, std::string key) {
  const auto p = send_create(limit, std::move(key));
  settle();
  return p->target.key;
}

sample_probe world::send(const std::string& counter, sample::command c, std::string key) {
  auto p = std::make_shared<probe<sample::kind>>();
  p->command = std::move(c);
  address(*p, the_counter(counter), std::move(key));
  dispatch(p);
  return p;
}

sample_probe world::ask(const std::string& counter, sample::command c, std::string key) {
  auto p = send(counter, std::move(c), std::move(key));
  settle();
  return p;
}

sample_probe world::send_read(const std::string& counter) { return send_read<sample::kind>(counter, sample::show{}); }

sample_probe world::read(const std::string& counter) {
  auto p = send_read(counter);
  settle();
  return p;
}

std::int64_t world::count(const std::string& sql) {
  std::int64_t n = 0;
  faults->behind().open_reader()->query(sql, {}, [&](const persistence::result_row& r) { n = r.integer(0); });
  return n;
}

std::string world::text(const std::string& sql) {
  std::string out;
  faults->behind().open_reader()->query(sql, {}, [&](const persistence::result_row& r) { out = r.text(0); });
  return out;
}

std::int64_t world::stored_sum(const std::string& counter) {
  return count("select coalesce(max(sum), 0) from sample_counters where key = '" + counter + "'");
}

std::int64_t world::events_of(const actors::request& r) {
  return count("select count(*) from journal where request = '" + r.by->request + "'");
}

void world::write(const std::string& sql) {
  faults->behind().write(sql, {}, [](const persistence::result_row&) {});
}

bool world::has_warning(std::string_view part) const {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const auto& a) { return a.find(part) != std::string::npos; });
}

bool world::verified(std::string* why) {
  std::ostringstream out;
  const bool clean = actors::verify_all(faults->behind(), out) == 0;
  const auto samples =
      persistence::verify<sample::kind>(*faults->behind().open_reader(), [&](const persistence::difference& d) {
        out << d.kind << ' ' << d.key << ": " << d.where << ' ' << d.what << '\n';
      });
  if (why)
    *why = out.str();
  return clean && samples.differences == 0;
}

}  // namespace callboard::simulation
