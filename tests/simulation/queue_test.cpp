#include "actors/queue/rules.hpp"
#include "messages/event_codec.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <map>
#include <set>

using namespace callboard;
using namespace callboard::simulation;

namespace {

using queue_probe = probe<queue::kind>;
using queue_probe_ptr = std::shared_ptr<queue_probe>;

queue::new_job work(std::string id, std::string type = "mail") {
  queue::new_job j;
  j.id = std::move(id);
  j.type = std::move(type);
  j.content = 1;
  return j;
}
queue::enqueue one(std::string id, std::string type = "mail") {
  return {{work(std::move(id), std::move(type))}, false};
}
queue::claim claiming(std::int64_t wait_s = 0, std::optional<std::vector<std::string>> types = {},
                      std::int64_t lease_s = 60) {
  return {"w", std::move(types), 1, lease_s, wait_s};
}
std::string jobs_of(const queue_probe& p) {
  std::string out;
  if (p.accepted())
    for (const auto& j : p.get<queue::claimed_jobs>().jobs)
      out += (out.empty() ? "" : " ") + j.id;
  return p.accepted() ? out : "-";
}
std::int64_t token_of(const queue_probe& p) {
  const auto& text = *p.get<queue::claimed_jobs>().jobs.front().lease_token;
  return std::stoll(text.substr(text.rfind(':') + 1));
}

struct queue_world : world {
  explicit queue_world(unsigned seed = 0)
      : world{persistence::make_store("sqlite::memory:"), seed, {.kinds = hosting<queue::kind>()}} {}
  queue_probe_ptr send_work(queue::command c, std::string key = {}) {
    return send<queue::kind>("default", std::move(c), std::move(key));
  }
  queue_probe_ptr ask_work(queue::command c, std::string key = {}) {
    return ask<queue::kind>("default", std::move(c), std::move(key));
  }
};

}  // namespace

TEST_CASE("a claim that waits is answered the moment work arrives, in the order of arrival") {
  queue_world w;
  const auto mail_only = w.send_work(claiming(20, {{"mail"}}));
  const auto first = w.send_work(claiming(20));
  const auto second = w.send_work(claiming(20));
  w.settle();
  CHECK(first->answers == 0);
  w.ask_work(one("s", "sms"));
  CHECK(mail_only->answers == 0);
  CHECK(jobs_of(*first) == "s");
  CHECK(second->answers == 0);
  w.ask_work(one("m", "mail"));
  CHECK(jobs_of(*mail_only) == "m");
  w.ask_work(one("n", "mail"));
  CHECK(jobs_of(*second) == "n");
  CHECK(w.verified());
}

TEST_CASE("a claim that waited long enough is answered empty and leases nothing") {
  queue_world w;
  const auto p = w.send_work(claiming(5));
  w.pass(4'999ms);
  CHECK(p->answers == 0);
  w.pass(2ms);
  CHECK(jobs_of(*p) == "");
  w.ask_work(one("a"));
  CHECK(w.count("select count(*) from work_jobs where status = 'pending'") == 1);
}

TEST_CASE("a claim waits for time as well: what is scheduled, returned or held back by a rate") {
  queue_world w;
  SECTION("scheduled") {
    auto j = work("a");
    j.run_at = w.now() + 3s;
    w.ask_work(queue::enqueue{{j}, false});
  }
  SECTION("returned") {
    w.ask_work(one("a"));
    CHECK(jobs_of(*w.ask_work(claiming(0, {}, 3))) == "a");
  }
  SECTION("a rate") {
    queue::configure c;
    c.rate_per_s = std::optional<std::int64_t>{1};
    w.ask_work(c);
    w.ask_work(one("b"));
    w.pass(2'500ms);
    CHECK(jobs_of(*w.ask_work(claiming())) == "b");
    w.ask_work(one("a"));
  }
  const auto p = w.send_work(claiming(20));
  w.pass(900ms);
  CHECK(p->answers == 0);
  w.pass(2'200ms);
  CHECK(jobs_of(*p) == "a");
}

TEST_CASE("whoever has gone while waiting is passed over") {
  queue_world w;
  const auto gone = w.send_work(claiming(20));
  const auto there = w.send_work(claiming(20));
  w.settle();
  gone->abandoned = true;
  w.ask_work(one("a"));
  CHECK(!gone->accepted());
  CHECK(jobs_of(*there) == "a");
}

TEST_CASE("whoever has gone while waiting under a key lets go of it") {
  queue_world w;
  auto gone = w.send_work(claiming(20), "k");
  w.settle();
  gone->abandoned = true;
  const std::weak_ptr<queue_probe> held = gone;
  gone.reset();
  w.ask_work(one("a"));
  CHECK(held.expired());
  CHECK(jobs_of(*w.ask_work(claiming(20), "k")) == "a");
}

TEST_CASE("whoever waits comes before whoever comes later, also when time brings the work") {
  queue_world w;
  auto j = work("a");
  j.run_at = w.now() + 3s;
  w.ask_work(queue::enqueue{{j}, false});
  const auto waiting = w.send_work(claiming(20));
  w.settle();
  // Nobody rings: the next to come finds what is due.
  w.node->scheduler.clock().cancel_all();
  w.node->scheduler.clock().advance_time(3s);
  const auto late = w.ask_work(claiming());
  CHECK(jobs_of(*waiting) == "a");
  CHECK(jobs_of(*late) == "");
}

TEST_CASE("an id that is purged and used again at once keeps the words of its new job") {
  queue_world w;
  auto j = work("a");
  j.max_attempts = 1;
  w.ask_work(queue::enqueue{{j}, false});
  w.ask_work(claiming(0, {}, 1));
  w.pass(2s);
  REQUIRE(w.text("select status from work_jobs") == "failed");
  w.node->scheduler.clock().cancel_all();
  w.node->scheduler.clock().advance_time(std::chrono::days{31});
  j.data_text = R"({"new":2})";
  CHECK(w.ask_work(queue::enqueue{{j}, false})->accepted());
  CHECK(w.text("select data from work_payloads") == R"({"new":2})");
  CHECK(w.count("select count(*) from work_reports") == 0);
  std::string why;
  CHECK(w.verified(&why));
}

TEST_CASE("waiting claims hold no place and keep their queue in memory") {
  queue_world w;
  w.supervision.requests_max = 4;
  w.supervision.idle = 5s;
  w.crash();
  std::vector<queue_probe_ptr> waiting;
  for (int i = 0; i < 20; ++i) {
    waiting.push_back(w.send_work(claiming(25)));
    w.settle();
  }
  w.pass(20s);
  for (const auto& p : waiting)
    CHECK(p->answers == 0);
  CHECK(w.ask_work(one("a"))->accepted());
  CHECK(jobs_of(*waiting.front()) == "a");
}

TEST_CASE("a node that stops lets nobody wait") {
  queue_world w;
  const auto p = w.send_work(claiming(25));
  w.settle();
  w.node->env.draining = true;
  caf::anon_send(w.node->supervisor, actors::drain_atom::value);
  w.settle();
  CHECK(jobs_of(*p) == "");
  CHECK(jobs_of(*w.ask_work(claiming(25))) == "");
}

TEST_CASE("a claim that waits under a key is replayed with the same job, and its twin is told that it is in progress") {
  queue_world w;
  const auto p = w.send_work(claiming(25), "k");
  w.settle();
  const auto twin = w.ask_work(claiming(25), "k");
  CHECK(twin->refused(code::in_progress));
  w.ask_work(one("a"));
  CHECK(jobs_of(*p) == "a");
  const auto again = w.ask_work(claiming(25), "k");
  REQUIRE(again->replayed());
  CHECK(again->again->body.find("\"a\"") != std::string::npos);
}

TEST_CASE("waiting claims survive a cut of their queue") {
  queue_world w;
  w.ask_work(one("a"));
  w.ask_work(claiming());
  const auto waiting = w.send_work(claiming(25));
  w.settle();
  w.store.next(
      [](const persistence::batch&, persistence::store&) { return store_faults::outcome(commit_status::poison); }, 2);
  CHECK(w.ask_work(one("b"))->refused(code::internal));
  CHECK(waiting->answers == 0);
  CHECK(w.ask_work(one("c"))->accepted());
  CHECK(jobs_of(*waiting) == "c");
  CHECK(w.verified());
}

TEST_CASE("leases, schedules, settings and dead letters survive a crash") {
  queue_world w;
  auto later = work("later");
  later.run_at = w.now() + 30s;
  auto dying = work("dying");
  dying.max_attempts = 1;
  w.ask_work(queue::enqueue{{work("held"), later, dying}, false});
  const auto held = w.ask_work(queue::claim{"w", {}, 2, 10, 0});
  REQUIRE(jobs_of(*held) == "dying held");
  queue::configure c;
  c.max_in_flight = std::optional<std::int64_t>{7};
  w.ask_work(c);
  w.crash();
  w.pass(11s);
  CHECK(w.text("select status from work_jobs where id = 'held'") == "pending");
  CHECK(w.text("select status from work_jobs where id = 'dying'") == "failed");
  CHECK(w.ask_work(queue::complete{{{"held", token_of(*held), {}}}, true})->refused(code::stale_lease));
  w.crash();
  w.pass(20s);
  CHECK(w.text("select status from work_jobs where id = 'later'") == "pending");
  CHECK(w.count("select max_in_flight from work_queues") == 7);
  const auto groups = w.ask_work(queue::show_dead{"", 10});
  CHECK(groups->get<queue::dead_groups>().groups.size() == 1);
  CHECK(w.verified());
}

TEST_CASE("an id that was finished between the look-up and the decision is looked up again, not written twice") {
  queue_world w;
  w.ask_work(one("a"));
  const auto p = w.ask_work(claiming());
  w.ask_work(queue::complete{{{"a", token_of(*p), {}}}, true});
  // Its look-up came before the job was finished: it does not know.
  auto late = std::make_shared<queue_probe>();
  late->command = one("a");
  w.address(*late, {queue::kind::name, "default"}, {});
  w.dispatch(late);
  w.settle();
  CHECK(late->lookups == 1);
  REQUIRE(late->accepted());
  CHECK(late->get<queue::accepted>().jobs.front().deduplicated);
  CHECK(w.count("select count(*) from work_jobs") == 0);
  CHECK(w.verified());
}

TEST_CASE("finished jobs are found by their rows when their time is over, and purged in bounded batches") {
  queue_world w;
  std::vector<queue::new_job> jobs;
  for (int i = 0; i < 1'000; ++i)
    jobs.push_back(work("j" + std::to_string(i)));
  w.ask_work(queue::enqueue{jobs, false});
  w.ask_work(one("last"));
  for (int round = 0; round < 2; ++round) {
    const auto p = w.ask_work(queue::claim{"w", {}, 1'000, 60, 0});
    queue::complete request;
    for (const auto& j : p->get<queue::claimed_jobs>().jobs)
      request.jobs.push_back({j.id, token_of(*p), {}});
    w.ask_work(request);
  }
  CHECK(w.count("select count(*) from work_finished") == 1'001);
  w.pass(1s);
  const auto reader = w.faults->behind().open_reader();
  auto& host = *w.node->hosts.at(queue::kind::name);
  int ended = 0;
  CHECK(host.maintenance(*reader, w.now(), [](bool) {}).empty());
  const auto then = [&w] { return w.now() + queue::settings{}.finished_kept - 500ms; };
  int rounds = 0;
  for (;; ++rounds) {
    auto system_requests = host.maintenance(*reader, then(), [&](bool accepted) { ended += accepted ? 1 : 0; });
    if (system_requests.empty())
      break;
    for (auto& e : system_requests) {
      w.address(*e, entity_id{e->target}, {});
      w.dispatch(e);
    }
    system_requests.clear();
    w.settle();
  }
  CHECK(rounds == 4);
  CHECK(ended == 4);
  CHECK(w.count("select count(*) from work_finished") == 0);
  CHECK(w.count("select count(*) from work_payloads") == 0);
  CHECK(w.verified());
}

namespace {

/// Workers and their queue under store faults, in an order that the seed decides.
class queue_run {
public:
  explicit queue_run(unsigned seed) : random_{seed}, world_{seed} { world_.permuted = true; }

  void run() {
    for (int i = 0; i < 150; ++i)
      act();
    calm();
    world_.pass(60s);
    finish();
    check();
  }

  std::vector<std::string> complaints;
  int commands = 0;
  int faults = 0;

private:
  struct request {
    queue_probe_ptr probe;
    std::string what;  ///< enqueue, claim, complete, other
    std::string id;
    bool lost = false;
  };

  int any(int n) { return std::uniform_int_distribution<int>{0, n - 1}(random_); }
  void require(bool holds, const std::string& what) {
    if (!holds)
      complaints.push_back(what);
  }

  void add(std::string what, std::string id, queue::command c, std::string key = {}) {
    ++commands;
    auto p = world_.send_work(std::move(c), std::move(key));
    p->heard = [this, raw = p.get(), what] { hear(*raw, what); };
    wanted_.push_back({std::move(p), std::move(what), std::move(id), false});
  }

  /// A worker learns of its lease when it is answered, not before.
  void hear(queue_probe& p, const std::string& what) {
    if (!p.accepted() || what != "claim")
      return;
    for (const auto& j : p.get<queue::claimed_jobs>().jobs)
      held_.push_back({j.id, std::stoll(j.lease_token->substr(j.lease_token->rfind(':') + 1))});
  }

  void act() {
    const auto dice = any(100);
    if (dice < 20) {
      const auto id = "j" + std::to_string(enqueued_++);
      add("enqueue", id, one(id, any(2) ? "mail" : "sms"), any(2) ? "e-" + id : "");
    } else if (dice < 45)
      add("claim", {}, queue::claim{"w", {}, 1 + any(3), 1 + any(20), any(2) ? 1 + any(10) : 0},
          any(4) == 0 ? "c-" + std::to_string(commands) : "");
    else if (dice < 62)
      report();
    else if (dice < 70)
      world_.run(any(40));
    else if (dice < 82)
      world_.pass(milliseconds{any(3'000)});
    else if (dice < 93)
      fault();
    else if (dice < 95)
      world_.faults->stays(any(2) ? commit_status::transient : commit_status::full);
    else if (dice < 98)
      calm();
    else
      crash();
  }

  void report() {
    if (held_.empty())
      return;
    const auto at = static_cast<std::size_t>(any(static_cast<int>(held_.size())));
    const auto [id, token] = held_[at];
    // Some come back with a lease that they have used up or lost.
    if (any(4) != 0)
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at));
    switch (any(5)) {
    case 0: {
      queue::fail f;
      f.id = id;
      f.token = token;
      f.error = "broken";
      return add("other", id, f);
    }
    case 1:
      return add("other", id, queue::heartbeat{id, token, {}, {}, {}});
    default:
      return add("complete", id, queue::complete{{{id, token, {}}}, true});
    }
  }

  void fault() {
    ++faults;
    switch (any(7)) {
    case 0:
      return world_.store.fails(commit_status::transient, 1 + any(4));
    case 1:
      return world_.store.fails(commit_status::unknown, 1 + any(2));
    case 2:
      return world_.store.loses_reply();
    case 3:
      return world_.store.commits_late();
    case 4:
      return world_.store.fails_reconnects(1 + any(4));
    case 5:
      return world_.store.fails_reads(1 + any(2));
    default:
      return world_.store.fails(commit_status::down);
    }
  }

  void calm() {
    world_.faults->clears();
    world_.store.fails_reconnects(0);
    world_.store.fails_reads(0);
  }

  void crash() {
    ++faults;
    calm();
    world_.crash();
    for (auto& w : wanted_)
      w.lost = w.lost || w.probe->answers == 0;
  }

  /// Whatever is left is worked off.
  void finish() {
    world_.permuted = false;
    for (int i = 0; i < 2'000; ++i) {
      queue::redrive again;
      again.type = i % 2 ? "mail" : "sms";
      world_.ask_work(again);
      const auto p = world_.ask_work(queue::claim{"last", {}, 10, 60, 0});
      if (!p->accepted())
        continue;
      queue::complete done;
      for (const auto& j : p->get<queue::claimed_jobs>().jobs)
        done.jobs.push_back({j.id, token_of(*p), {}});
      if (!done.jobs.empty())
        world_.ask_work(done);
      else if (world_.count("select count(*) from work_jobs") == 0)
        return;
      else
        world_.pass(10s);
    }
    complaints.push_back("work is left that nobody gets");
  }

  void check() {
    std::map<std::string, int> enqueued, completed;
    std::map<std::string, std::int64_t> holder;
    const auto from = world_.faults->behind().open_reader();
    from->query("select type, data from journal where kind = 'queue' order by pos", {},
                [&](const persistence::result_row& r) {
                  const auto e = decode_event<queue::event>(r.text(0), r.text(1));
                  if (const auto* in = std::get_if<queue::enqueued>(&e))
                    for (const auto& j : in->jobs)
                      require(++enqueued[j.id] == 1, j.id + " was enqueued twice");
                  if (const auto* c = std::get_if<queue::claimed>(&e))
                    for (const auto& id : c->jobs) {
                      require(!holder.contains(id), id + " was claimed while somebody held it");
                      holder[id] = c->token;
                    }
                  const auto freed = [&](const auto& jobs) {
                    for (const auto& id : jobs)
                      holder.erase(id);
                  };
                  if (const auto* l = std::get_if<queue::lapsed>(&e))
                    freed(l->jobs);
                  if (const auto* t = std::get_if<queue::retried>(&e))
                    holder.erase(t->id);
                  if (const auto* d = std::get_if<queue::died>(&e))
                    for (const auto& j : d->jobs)
                      holder.erase(j.id);
                  if (const auto* done = std::get_if<queue::completed>(&e)) {
                    for (const auto& id : done->jobs)
                      require(++completed[id] == 1, id + " was completed twice");
                    freed(done->jobs);
                  }
                });
    std::map<std::string, int> told;
    for (const auto& w : wanted_) {
      const auto& p = *w.probe;
      require(p.answers <= 1, p.name() + " was answered twice");
      require(p.answers == 1 || w.lost, p.name() + " was never answered");
      if (w.what == "enqueue" && p.succeeded())
        require(enqueued[w.id] == 1, w.id + " was accepted and is lost");
      if (w.what == "complete" && p.accepted())
        require(++told[w.id] == 1, w.id + " was completed for two");
      if (p.no && p.no->what != code::outcome_unknown)
        require(world_.events_of(p) == 0, p.name() + " was refused and has an effect");
    }
    for (const auto& [id, n] : enqueued)
      require(completed[id] == 1, id + " was not completed");
    std::string why;
    require(world_.verified(&why), why);
  }

  std::mt19937 random_;
  queue_world world_;
  std::vector<request> wanted_;
  std::vector<std::pair<std::string, std::int64_t>> held_;
  int enqueued_ = 0;
};

}  // namespace

TEST_CASE("whatever fails, each job is completed once and no stale lease counts") {
  const char* wanted = std::getenv("CALLBOARD_SIMULATION_SEEDS");
  const char* first = std::getenv("CALLBOARD_SIMULATION_FIRST");
  const auto seeds = wanted ? static_cast<unsigned>(std::strtoul(wanted, nullptr, 10)) : 200;
  const auto from = first ? static_cast<unsigned>(std::strtoul(first, nullptr, 10)) : 1;
  int commands = 0, faults = 0;
  for (unsigned seed = from; seed < from + seeds; ++seed) {
    queue_run t{seed};
    t.run();
    INFO("seed " << seed);
    std::string all;
    for (const auto& c : t.complaints)
      all += c + '\n';
    CHECK(all == "");
    commands += t.commands;
    faults += t.faults;
  }
  CHECK(commands > 60 * static_cast<int>(seeds));
  CHECK(faults > 10 * static_cast<int>(seeds));
}
