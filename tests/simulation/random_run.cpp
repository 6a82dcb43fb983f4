#include "random_run.hpp"

#include <map>

namespace callboard::simulation {
namespace {

using persistence::batch;
using persistence::commit_outcome;

constexpr int steps = 150;

}  // namespace

void random_run::require(bool holds, const std::string& what) {
  if (!holds)
    complaints.push_back(what);
}

std::int64_t random_run::stored_version(const entity_id& e) {
  return in_.count("select seq from heads where kind = '" + std::string{e.kind} + "' and key = '" + e.key + "'");
}

std::int64_t random_run::primary_events(const std::string& request) {
  return in_.count("select count(*) from journal where request = '" + request + "' and type in " + primary_);
}

void random_run::run() {
  in_.permuted = true;
  for (int i = 0; i < steps; ++i)
    act();
  calm();
  over_ = true;
  touch_all();
  in_.pass(60s);
  check_answers();
  check_keys();
  check();
  check_timers();
  std::string why;
  require(in_.verified(&why), why);
  remember();
}

void random_run::act() {
  const auto dice = any(100);
  if (dice < 60)
    command();
  else if (dice < 70)
    in_.run(any(30));
  else if (dice < 82)
    in_.pass(milliseconds{any(2'000)});
  else if (dice < 94)
    fault();
  else if (dice < 96)
    storm();
  else if (dice < 98)
    calm();
  else
    crash();
}

void random_run::fault() {
  ++faults_;
  switch (any(11)) {
  case 0:
    return in_.store.fails(commit_status::transient, 1 + any(4));
  case 1:
    return in_.store.fails(commit_status::full);
  case 2:
    return in_.store.fails(commit_status::unknown, 1 + any(2));
  case 3:
    return in_.store.loses_reply();
  case 4:
    return in_.store.commits_late();
  case 5:
    return in_.store.fails_reconnects(1 + any(4));
  case 6:
    return in_.store.fails_reads(1 + any(2));
  case 7:  // a batch that had committed finds itself before anything in it can offend
    return in_.store.next(
        [this](const batch& b, persistence::store& inner) {
          return in_.count("select batch from writers") == b.number ? inner.commit(b)
                                                                    : store_faults::outcome(commit_status::poison);
        },
        1 + any(3));
  case 8:
    return in_.store.fails(commit_status::down);
  default:
    return interfere();
  }
}

void random_run::storm() {
  ++faults_;
  switch (any(4)) {
  case 0:
    return in_.faults->stays(commit_status::transient);
  case 1:
    return in_.faults->stays(commit_status::full);
  case 2:
    in_.faults->unreachable = true;
    return;
  default:
    in_.faults->on_commit = [commits = often(50)](const batch& b, persistence::store& behind) {
      if (commits)
        behind.commit(b);
      return store_faults::outcome(commit_status::unknown);
    };
  }
}

void random_run::calm() {
  in_.faults->clears();
  in_.store.fails_reconnects(0);
  in_.store.fails_reads(0);
}

void random_run::crash() {
  ++faults_;
  calm();
  in_.crash();
  for (auto& c : callers_)
    c.lost = c.lost || c.answers() == 0;
}

// What must hold

void random_run::check_answers() {
  for (const auto& c : callers_) {
    const auto& name = c.request->by->request;
    const auto events = in_.events_of(*c.request);
    const auto effects = primary_events(name);
    require(c.answers() <= 1, name + " was answered twice");
    require(c.answers() == 1 || c.lost, name + " was never answered");
    require(effects <= 1, name + " had its effect twice");
    if (c.accepted()) {
      require(effects == (c.changes ? 1 : 0), name + " was accepted and has no effect");
      require(!c.changes || in_.count("select max(seq) from journal where request = '" + name + "'") == c.version(),
              name + " was told another version than it made");
    }
    if (c.replayed())
      require(events == 0, name + " was answered again and has an effect of its own");
    if (const auto why = c.refused(); why && *why != code::outcome_unknown)
      require(events == 0, name + " was told " + std::string{callboard::name(*why)} + " and has an effect");
  }
}

void random_run::check_keys() {
  struct group {
    std::int64_t effects = 0;
    bool succeeded = false;
  };
  std::map<std::string, group> groups;
  for (const auto& c : callers_)
    if (!c.key.empty()) {
      auto& g = groups[c.key];
      g.effects += primary_events(c.request->by->request);
      g.succeeded = g.succeeded || c.accepted() || c.replayed();
    }
  for (const auto& [key, g] : groups) {
    require(g.effects <= 1, "key " + key + " had its effect " + std::to_string(g.effects) + " times");
    require(!g.succeeded || g.effects == 1, "key " + key + " succeeded without an effect");
  }
}

void random_run::check_timers() {
  require(in_.count("select count(*) from timers where due < " + std::to_string(to_ms(in_.now()) - 1'000)) == 0,
          "something is overdue");
}

void random_run::remember() {
  std::string all;
  for (const auto& c : callers_) {
    all += c.request->by->request + ' ' + std::to_string(c.answers()) + ' ';
    all += c.accepted() ? std::to_string(c.version()) : c.replayed() ? "again" : "";
    if (const auto why = c.refused())
      all += callboard::name(*why);
    all += '\n';
  }
  const auto from = in_.faults->behind().open_reader();
  constexpr std::string_view lines = "select pos, key, seq, type, at, data from journal order by pos";
  from->query(lines, {}, [&](const persistence::result_row& r) {
    all += std::to_string(r.integer(0)) + ' ' + std::string{r.text(1)} + ' ' + std::to_string(r.integer(2)) + ' ' +
           std::string{r.text(3)} + ' ' + std::to_string(r.integer(4)) + ' ' + std::string{r.text(5)} + '\n';
  });
  trace_ = stable_hash(all);
}

}  // namespace callboard::simulation
