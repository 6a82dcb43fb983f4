#include "random_run.hpp"

#include "messages/event_codec.hpp"

#include <algorithm>
#include <set>

namespace callboard::simulation {
namespace {

using persistence::batch;
using persistence::commit_outcome;

constexpr int steps = 150;

/// Every decision has one of these; the rest of it are promotions.
constexpr std::string_view primary =
    "('JOB_CREATED', 'JOB_UPDATED', 'APPLIED', 'WITHDRAWN', 'ACKNOWLEDGED', 'DECLINED', 'ADDED')";

}  // namespace

random_run::random_run(unsigned seed) : random_{seed}, world_{seed} {
  for (int i = 0; i < 3; ++i) {
    auto c = job(1 + any(3), 1 + any(20));
    c.offer_on_apply = often(30);
    c.ack_window_on_apply_s = 1 + any(20);
    openings_.push_back(world_.create(c));
  }
  world_.permuted = true;
}

void random_run::require(bool holds, const std::string& what) {
  if (!holds)
    complaints.push_back(what);
}

template <class Kind>
void random_run::add(std::shared_ptr<probe<Kind>> p, bool changes, std::string key, std::string email) {
  auto* raw = p.get();
  p->heard = [this, raw, changes, keyed = !key.empty(), floor = told_[p->target]] {
    if (raw->replayed())
      require(keyed, raw->name() + " was answered again without a key");
    if (!raw->accepted())
      return;
    // Nothing leaves before its commit.
    require(!changes || primary_events(raw->name()) == 1, raw->name() + " was accepted before its commit");
    require(raw->version <= stored_version(raw->target), raw->name() + " saw what was not committed");
    // What somebody was told before it was sent, it sees.
    require(raw->version >= floor, raw->name() + " did not see what others had been told");
    auto& told = told_[raw->target];
    told = std::max(told, raw->version);
  };
  callers_.push_back({p, [raw] { return raw->answers; },
                      [raw] { return raw->no ? std::optional{raw->no->what} : std::nullopt; },
                      [raw] { return raw->accepted(); }, [raw] { return raw->replayed(); },
                      [raw] { return raw->version; }, changes, std::move(key), std::move(email), false});
}

std::int64_t random_run::stored_version(const entity_id& e) {
  return world_.count("select seq from heads where kind = '" + std::string{e.kind} + "' and key = '" + e.key + "'");
}

std::int64_t random_run::primary_events(const std::string& request) {
  return world_.count("select count(*) from journal where request = '" + request + "' and type in " +
                      std::string{primary});
}

void random_run::run() {
  for (int i = 0; i < steps; ++i)
    act();
  calm();
  over_ = true;
  // Who does not write does not notice that somebody else did.
  for (const auto& id : openings_)
    add(world_.send(id, with_title("The end")), true);
  world_.pass(60s);
  check_answers();
  check_keys();
  check_people();
  check_openings();
  check_counters();
  check_timers();
  std::string why;
  require(world_.verified(&why), why);
  remember();
}

void random_run::act() {
  const auto dice = any(100);
  if (dice < 60)
    command();
  else if (dice < 70)
    world_.run(any(30));
  else if (dice < 82)
    world_.pass(milliseconds{any(2'000)});
  else if (dice < 94)
    fault();
  else if (dice < 96)
    storm();
  else if (dice < 98)
    calm();
  else
    crash();
}

void random_run::command() {
  const auto id = some_opening();
  const auto number = nth(id, 1 + any(12));
  switch (any(15)) {
  case 0:
  case 1:
  case 2:
    return add(world_.send(id, by(1 + any(8))), true);
  case 3:
  case 4: {
    const auto email = "p" + std::to_string(any(4)) + "@example.org";
    return add(world_.send_public(id, email), true, {}, email);
  }
  case 5: {  // the same again and again
    const auto n = any(4);
    const auto key = "apply-" + std::to_string(n);
    return add(world_.send(id, by(100 + n), key), true, id + "/" + key);
  }
  case 6:
    return add(world_.send(id, opening::withdraw{number, {}, {}}), true);
  case 7:
    return add(world_.send(id, opening::acknowledge{number}), true);
  case 8:
    return add(world_.send(id, opening::decline{number}), true);
  case 9: {
    auto change = with_title("Title " + std::to_string(callers_.size()));
    change.capacity = 1 + any(4);
    return add(world_.send(id, change), true);
  }
  case 10:
    return add(world_.send_read(id, opening::show_queue{}), false);
  case 11: {
    const auto key = "create-" + std::to_string(any(3));
    const auto p = world_.send_create(job(1), key);
    return add(p, true, key);
  }
  case 12:
    if (often(50))
      return add(world_.send_read<counting::kind>("a", counting::show{}), false);
    return add(world_.sends(often(40) ? counting::command{counting::explode{}} : counting::command{counting::add{1}}),
               true);
  default: {  // counting has no sense of its own of what is a duplicate
    const auto key = "add-" + std::to_string(any(4));
    return add(world_.send<counting::kind>("a", counting::add{1}, key), true, key);
  }
  }
}

void random_run::fault() {
  ++faults_;
  const auto id = some_opening();
  switch (any(11)) {
  case 0:
    return world_.store.fails(commit_status::transient, 1 + any(4));
  case 1:
    return world_.store.fails(commit_status::full);
  case 2:
    return world_.store.fails(commit_status::unknown, 1 + any(2));
  case 3:
    return world_.store.loses_reply();
  case 4:
    return world_.store.commits_late();
  case 5:
    return world_.store.fails_reconnects(1 + any(4));
  case 6:
    return world_.store.fails_reads(1 + any(2));
  case 7:  // a batch that had committed finds itself before anything in it can offend
    return world_.store.next(
        [this](const batch& b, persistence::store& inner) {
          return world_.count("select batch from writers") == b.number ? inner.commit(b)
                                                                       : store_faults::outcome(commit_status::poison);
        },
        1 + any(3));
  case 8:
    return world_.store.fails(commit_status::down);
  case 9:  // somebody else decides for one of ours
    return world_.store.next([this, id, stranger = 1'000 + ++strangers_](const batch& b, persistence::store& inner) {
      if (!over_)
        second_writer{world_.faults->behind(), world_.now()}.decides(id, by(stranger));
      return inner.commit(b);
    });
  default:  // or registers an address
    return world_.store.next(
        [this, n = any(4), id = 1'000'000 + ++strangers_](const batch& b, persistence::store& inner) {
          const auto email = "p" + std::to_string(n) + "@example.org";
          if (!over_ && world_.count("select count(*) from applicants where email = '" + email + "'") == 0)
            second_writer{world_.faults->behind(), world_.now()}.registers(id, email);
          return inner.commit(b);
        });
  }
}

void random_run::storm() {
  ++faults_;
  switch (any(4)) {
  case 0:
    return world_.faults->stays(commit_status::transient);
  case 1:
    return world_.faults->stays(commit_status::full);
  case 2:
    world_.faults->unreachable = true;
    return;
  default:
    world_.faults->on_commit = [commits = often(50)](const batch& b, persistence::store& behind) {
      if (commits)
        behind.commit(b);
      return store_faults::outcome(commit_status::unknown);
    };
  }
}

void random_run::calm() {
  world_.faults->clears();
  world_.store.fails_reconnects(0);
  world_.store.fails_reads(0);
}

void random_run::crash() {
  ++faults_;
  calm();
  world_.crash();
  for (auto& c : callers_)
    c.lost = c.lost || c.answers() == 0;
}

// What must hold

void random_run::check_answers() {
  for (const auto& c : callers_) {
    const auto& name = c.request->by->request;
    const auto events = world_.events_of(*c.request);
    const auto effects = primary_events(name);
    require(c.answers() <= 1, name + " was answered twice");
    require(c.answers() == 1 || c.lost, name + " was never answered");
    require(effects <= 1, name + " had its effect twice");
    if (c.accepted()) {
      require(effects == (c.changes ? 1 : 0), name + " was accepted and has no effect");
      require(!c.changes || world_.count("select max(seq) from journal where request = '" + name + "'") == c.version(),
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

void random_run::check_people() {
  for (const auto& c : callers_)
    if (!c.email.empty() && c.accepted()) {
      const auto who = std::static_pointer_cast<opening_probe>(c.request)->get<opening::application_result>().applicant;
      require(world_.text("select email from applicants where id = " + std::to_string(who.value)) == c.email,
              c.request->by->request + " applied as somebody else");
    }
  require(world_.count("select count(*) from applicants a where a.id < 1000000 and not exists "
                       "(select 1 from applications x where x.applicant = a.id)") == 0,
          "somebody is registered who never applied");
}

/// Live never grows above capacity, at no point of the journal, and in the end no slot is free while somebody may have
/// it.
void random_run::check_openings() {
  const auto from = world_.faults->behind().open_reader();
  struct tally {
    std::int64_t capacity = 0;
    std::set<std::int64_t> live;
  };
  std::map<std::string, tally> tallies;
  constexpr std::string_view lines = "select key, type, data, pos from journal where kind = 'opening' order by pos";
  from->query(lines, {}, [&](const persistence::result_row& r) {
    auto& t = tallies[std::string{r.text(0)}];
    const auto type = r.text(1);
    const auto e = decode_event<opening::event>(type, r.text(2));
    const auto enters = [&](opening::application_id a) {
      t.live.insert(a.value);
      require(static_cast<std::int64_t>(t.live.size()) <= t.capacity,
              "too many live at position " + std::to_string(r.integer(3)));
    };
    if (const auto* c = std::get_if<opening::created>(&e))
      t.capacity = c->capacity;
    else if (const auto* u = std::get_if<opening::updated>(&e))
      t.capacity = u->capacity;
    else if (const auto* a = std::get_if<opening::applied>(&e)) {
      if (a->status != opening::status::waitlist)
        enters(a->application);
    } else if (const auto* p = std::get_if<opening::promoted>(&e))
      enters(p->application);
    else if (const auto* w = std::get_if<opening::withdrawn>(&e))
      t.live.erase(w->application.value);
    else if (const auto* d = std::get_if<opening::declined>(&e))
      t.live.erase(d->application.value);
    else if (const auto* x = std::get_if<opening::decayed>(&e))
      t.live.erase(x->application.value);
  });
  require(
      world_.count(
          "select count(*) from openings o join opening_counts c on c.id = o.id where o.phase = 'open' "
          "and c.active + c.pending < o.capacity and c.waiting > (case when c.cooling is null then 0 else 1 end)") == 0,
      "a slot is free while somebody waits for it");
}

void random_run::check_counters() {
  const auto lines = world_.count("select count(*) from journal where kind = 'counter'");
  const auto last = world_.count("select coalesce(max(seq), 0) from journal where kind = 'counter'");
  require(world_.sum() == lines, "the counter is not what it counted");
  require(last == lines, "the counter's journal has gaps");
}

void random_run::check_timers() {
  require(world_.count("select count(*) from timers where due < " + std::to_string(to_ms(world_.now()) - 1'000)) == 0,
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
  const auto from = world_.faults->behind().open_reader();
  constexpr std::string_view lines = "select pos, key, seq, type, at, data from journal order by pos";
  from->query(lines, {}, [&](const persistence::result_row& r) {
    all += std::to_string(r.integer(0)) + ' ' + std::string{r.text(1)} + ' ' + std::to_string(r.integer(2)) + ' ' +
           std::string{r.text(3)} + ' ' + std::to_string(r.integer(4)) + ' ' + std::string{r.text(5)} + '\n';
  });
  trace_ = stable_hash(all);
}

}  // namespace callboard::simulation
