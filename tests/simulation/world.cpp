#include "world.hpp"

#include "actors/verify.hpp"

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

std::unordered_map<std::string, applicant_id> emails(persistence::reader& from, std::vector<std::string> wanted) {
  std::unordered_map<std::string, applicant_id> out;
  from.query("select email, id from applicants where email = any($1::text[])", {std::move(wanted)},
             [&](const persistence::result_row& r) { out.emplace(r.text(0), applicant_id{r.integer(1)}); });
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

world::parts::parts(world& w)
    : system{testing(config)}, scheduler{dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())},
      time{epoch + std::chrono::floor<milliseconds>(w.lived_), [&w] { return w.steady().time_since_epoch(); }},
      writer{w.store, w.last_batch_, writing(w)}, readers{w.store, 0}, loaders{w.store, 0}, answers{readers, stored},
      known{readers, emails}, env{system,
                                  time,
                                  writer,
                                  loaders,
                                  answers,
                                  [this](const entity_id& id, instant due) {
                                    caf::anon_send(timers_actor, actors::arm_atom::value, id, to_ms(due));
                                  },
                                  [&w] { return w.steady(); }} {
  ids.open(w.store, "openings");
  ids.open(w.store, "applicants");
  hosts.emplace(opening::kind::name, make_host(std::type_identity<opening::kind>{}, env));
  hosts.emplace(queue::kind::name, make_host(std::type_identity<queue::kind>{}, env));
  if (w.more_kinds)
    w.more_kinds(hosts, env);
  supervisor = system.spawn<actors::supervisor>(hosts, w.supervision, occupied, env.steady_now);
  directory = system.spawn<actors::directory>(env, known, ids);
  timers_actor = system.spawn<actors::timers>(
      time, readers, [this](const entity_id& id) { caf::anon_send(supervisor, actors::tick_atom::value, id); },
      timer_counts);
}

world::parts::~parts() {
  caf::anon_send_exit(supervisor, caf::exit_reason::kill);
  caf::anon_send_exit(directory, caf::exit_reason::kill);
  caf::anon_send_exit(timers_actor, caf::exit_reason::kill);
  supervisor = directory = timers_actor = nullptr;
  while (scheduler.try_run_once()) {
  }
  // A delayed message that is still pending would keep the system from ending.
  scheduler.clock().cancel_all();
}

world::world(std::unique_ptr<persistence::store> inner, unsigned seed)
    : faults{new simulation::store_faults{std::move(inner)}}, store{std::unique_ptr<persistence::store>{faults}},
      random_{seed} {
  last_batch_ = store.open("main");
  node = std::make_unique<parts>(*this);
  settle();
}

world::~world() = default;

void world::crash() {
  lived_ = steady().time_since_epoch();
  node.reset();
  store.settle();  // what was under way commits or dies before the next process has the store
  last_batch_ = count("select batch from writers");  // a memory store would forget everything if opened again
  node = std::make_unique<parts>(*this);
  settle();
}

std::chrono::steady_clock::time_point world::steady() const {
  std::chrono::steady_clock::time_point t{lived_};
  return node ? t + node->scheduler.clock().now().time_since_epoch() : t;
}

bool world::step() {
  if (!permuted)
    return node->scheduler.try_run_once() || node->writer.step() || node->readers.run_one() || node->loaders.run_one();
  auto& jobs = node->scheduler.jobs;
  if (jobs.size() > 1)
    std::swap(jobs.front(), jobs[std::uniform_int_distribution<std::size_t>{0, jobs.size() - 1}(random_)]);
  const auto first = std::uniform_int_distribution<int>{0, 3}(random_);
  for (int i = 0; i < 4; ++i) {
    const bool did = (first + i) % 4 == 0   ? node->scheduler.try_run_once()
                     : (first + i) % 4 == 1 ? node->writer.step()
                     : (first + i) % 4 == 2 ? node->readers.run_one()
                                            : node->loaders.run_one();
    if (did)
      return true;
  }
  return false;
}

bool world::ring() {
  auto& clock = node->scheduler.clock();
  return clock.has_pending_timeout() && clock.schedule().begin()->first <= clock.now() && clock.trigger_timeout();
}

void world::settle() {
  while (step() || ring()) {
  }
}

void world::run(int steps) {
  while (steps-- > 0 && (step() || ring())) {
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
    r.key = {target.key + "/" + key, "fingerprint"};
  r.target = std::move(target);
  r.by = std::make_shared<const origin>(origin{"test", "", "", "trace", "r" + std::to_string(++sent_)});
  r.arrived = steady();
  r.deadline = steady() + 10s;
}

void world::dispatch(const actors::request_ptr& r) {
  if (node)  // else the process is dying
    caf::anon_send(node->supervisor, r);
}

std::shared_ptr<opening_probe> world::send_create(opening::create c, std::string key) {
  auto p = std::make_shared<opening_probe>();
  address(*p, {opening::kind::name, std::to_string(node->ids.next("openings", node->writer).value())}, {});
  p->command = std::move(c);
  p->creates = true;
  if (!key.empty())  // a create has no entity yet: its key is one of the whole kind
    p->key = {key, "fingerprint"};
  dispatch(p);
  return p;
}

std::string world::create(opening::create c, std::string key) {
  const auto p = send_create(std::move(c), std::move(key));
  settle();
  return p->target.key;
}

std::shared_ptr<opening_probe> world::send_public(const std::string& job, std::string email, std::string key) {
  auto p = std::make_shared<opening_probe>();
  address(*p, {opening::kind::name, job}, std::move(key));
  p->command = opening::apply{};
  const auto resolve = [this, email](std::shared_ptr<opening_probe> q, new_applicant lost) {
    ++resolutions;
    auto question = std::make_shared<actors::directory::question>();
    question->name = "Somebody";
    question->email = email;
    question->lost = std::move(lost);
    question->sink = [this, q](std::variant<actors::person, code> found) {
      if (const auto* who = std::get_if<actors::person>(&found)) {
        auto& apply = std::get<opening::apply>(q->command);
        apply.applicant = who->id;
        apply.person = who->row;
        dispatch(q);
      } else
        q->fail(std::get<code>(found));
    };
    if (node)
      caf::anon_send(node->directory, question);
  };
  p->resolve_again = [resolve](actors::request_ptr r) {
    auto q = std::static_pointer_cast<opening_probe>(r);
    resolve(q, std::get<opening::apply>(q->command).person);
  };
  resolve(p, nullptr);
  return p;
}

std::shared_ptr<registration_probe> world::send_registration(std::string name, std::string email, std::string key) {
  auto p = std::make_shared<registration_probe>();
  address(*p, {"people", {}}, std::move(key));
  p->command = {std::move(name), std::move(email)};
  caf::anon_send(node->directory, std::shared_ptr<actors::registration>{p});
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
  if (why)
    *why = out.str();
  return clean;
}

}  // namespace callboard::simulation
