#include "sample_run.hpp"

#include "messages/event_codec.hpp"

#include <map>

namespace callboard::simulation {
namespace {

using persistence::batch;

constexpr const char* primary = "('CREATED', 'ADDED', 'TAKEN', 'DEADLINE_SET', 'DEADLINE_CLEARED', 'NAMED', 'ASKED')";

}  // namespace

sample_run::sample_run(unsigned seed)
    : random_run{world_, seed, primary}, world_{persistence::make_store("sqlite::memory:"), seed} {
  for (int i = 0; i < 3; ++i)
    counters_.push_back(world_.create(5 + any(20)));
  failing_ = world_.create();
}

void sample_run::command() {
  const auto& id = some(counters_);
  switch (any(16)) {
  case 0:
  case 1:
  case 2:
    return add(world_.send(id, sample::add{1 + any(3)}), true);
  case 3:
  case 4:  // some of these wait
    return add(world_.send(id, sample::take{1 + any(4), any(2) * any(3'000)}), true);
  case 5: {  // the same again and again
    const auto key = "add-" + std::to_string(any(4));
    return add(world_.send(id, sample::add{1}, key), true, id + "/" + key);
  }
  case 6: {
    const auto key = "take-" + std::to_string(any(4));
    return add(world_.send(id, sample::take{1, any(2'000)}, key), true, id + "/" + key);
  }
  case 7:
    return add(world_.send(id, sample::set_deadline{1'000 * (1 + any(20)), false}), true);
  case 8:
    return add(world_.send(id, sample::clear_deadline{}), true);
  case 9:
  case 10:
    return add(world_.send(often(80) ? id : failing_, sample::claim_name{"name " + std::to_string(any(6)), {}}), true);
  case 11:
    return add(world_.send_read(often(50) ? id : failing_), false);
  case 12: {
    const auto key = "create-" + std::to_string(any(3));
    return add(world_.send_create(10, key), true, key);
  }
  case 13:
    return add(world_.send(id, sample::ask_other{"elsewhere", 1}), true);
  case 14:
    return add(world_.send(failing_, often(40) ? sample::command{sample::fail{}} : sample::command{sample::add{1}}),
               true);
  default: {
    const auto key = "add-" + std::to_string(any(4));
    return add(world_.send(failing_, sample::add{1}, key), true, failing_ + "/" + key);
  }
  }
}

/// Decides for one of ours, or gives a name to a counter of its own.
void sample_run::interfere() {
  if (often(50))
    return world_.store.next([this, id = some(counters_)](const batch& b, persistence::store& inner) {
      if (!over_)
        second_writer{world_.faults->behind(), world_.now()}.decides<sample::kind>(id, sample::add{1});
      return inner.commit(b);
    });
  world_.store.next([this, name = "name " + std::to_string(any(6)),
                     id = std::to_string(1'000'000 + ++others_)](const batch& b, persistence::store& inner) {
    if (!over_ && world_.count("select count(*) from sample_names where name = '" + name + "'") == 0) {
      second_writer other{world_.faults->behind(), world_.now()};
      other.decides<sample::kind>(id, sample::create{1});
      other.decides<sample::kind>(id, sample::claim_name{name, {}});
    }
    return inner.commit(b);
  });
}

void sample_run::touch_all() {
  for (const auto& id : counters_)
    add(world_.send(id, sample::set_deadline{1'000, false}), true);
  add(world_.send(failing_, sample::add{1}), true);
}

/// No sum ever leaves its limits, a deadline comes once and never early, and a name belongs to one counter.
void sample_run::check() {
  const auto from = world_.faults->behind().open_reader();
  std::map<std::string, sample::state> states;
  std::map<std::string, std::string> owners;
  constexpr std::string_view lines = "select key, type, data, at, pos from journal where kind = 'sample' order by pos";
  from->query(lines, {}, [&](const persistence::result_row& r) {
    const std::string key{r.text(0)};
    const auto position = " at position " + std::to_string(r.integer(4));
    const auto e = decode_event<sample::event>(r.text(1), r.text(2));
    auto& s = states.try_emplace(key, sample::kind::initial(key)).first->second;
    if (std::holds_alternative<sample::expired>(e))
      require(s.deadline && to_ms(*s.deadline) <= r.integer(3), "a deadline came too early or twice" + position);
    else if (s.deadline)
      require(to_ms(*s.deadline) > r.integer(3), "something was decided before what was due" + position);
    sample::changes changed;
    sample::kind::evolve(s, e, from_ms(r.integer(3)), changed);
    require(s.sum >= 0 && s.sum <= s.limit, "a sum is out of its limits" + position);
    if (const auto* n = std::get_if<sample::named>(&e))
      require(owners.try_emplace(n->text, key).first->second == key, "a name has two owners" + position);
  });
}

}  // namespace callboard::simulation
