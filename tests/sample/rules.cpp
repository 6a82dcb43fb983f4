#include "tests/sample/rules.hpp"

#include <stdexcept>
#include <type_traits>

namespace callboard::sample {
namespace {

using deciding = decision<kind>;
using answer = kind::answer;

answer view(const deciding& d) { return result{shown(d.state())}; }

answer over_limit() { return refusal{code::conflict, "The sum would exceed the limit", {}}; }

answer on(deciding& d, const create& c) {
  if (d.state().exists)
    return refusal{code::conflict, "This counter exists already", {}};
  d.happened(created{c.limit});
  return view(d);
}

answer on(deciding& d, const add& c) {
  if (d.state().sum + c.n > d.state().limit)
    return over_limit();
  if (c.n > 0)
    d.happened(added{c.n});
  return view(d);
}

answer on(deciding& d, const take& c) {
  if (d.state().sum < c.n)
    return refusal{code::conflict, "There is less to take", {}};
  d.happened(taken{c.n});
  return view(d);
}

answer on(deciding& d, const set_deadline& c) {
  d.happened(deadline_set{d.now + milliseconds{c.after_ms}, c.fails});
  return view(d);
}

answer on(deciding& d, const clear_deadline&) {
  if (!d.state().deadline)
    return refusal{code::gone, "There is no deadline", {}};
  d.happened(deadline_cleared{});
  return view(d);
}

answer on(deciding& d, const claim_name& c) {
  const auto& s = d.state();
  if (s.name)
    return refusal{code::conflict, "This counter has a name", {}};
  if (c.taken_by)
    return refusal{code::conflict, "The name belongs to counter " + *c.taken_by, {}};
  d.happened(named{c.text});
  return view(d);
}

answer on(deciding&, const fail&) { throw std::runtime_error("as asked"); }

answer on(deciding& d, const show&) { return view(d); }

answer on(deciding& d, const ask_other& c) {
  // An id says who asks, so two counters never ask with the same one.
  d.happened(asked{d.state().key + "/" + std::to_string(d.state().asked + 1), c.target, c.n});
  return view(d);
}

answer on(deciding& d, const heard& c) {
  if (d.state().unanswered.contains(c.id))
    d.happened(answered{c.id, c.ok});
  return view(d);
}

answer on(deciding& d, const receive& c) {
  if (d.state().received.contains(c.id))
    return view(d);
  if (d.state().sum + c.n > d.state().limit)
    return over_limit();
  d.happened(received{c.from, c.id, c.n});
  return view(d);
}

answer on(deciding& d, const tick&) {
  const auto& s = d.state();
  if (s.deadline && *s.deadline <= d.now) {
    if (s.fails)
      throw std::runtime_error("as asked");
    d.happened(expired{});
  }
  return view(d);
}

void evolve_one(state& s, const created& e, changes&) {
  s.exists = true;
  s.limit = e.limit;
}
void evolve_one(state& s, const added& e, changes&) { s.sum += e.n; }
void evolve_one(state& s, const taken& e, changes&) { s.sum -= e.n; }
void evolve_one(state& s, const deadline_set& e, changes&) {
  s.deadline = e.until;
  s.fails = e.fails;
}
void evolve_one(state& s, const deadline_cleared&, changes&) { s.deadline.reset(); }
void evolve_one(state& s, const expired&, changes&) {
  s.deadline.reset();
  s.sum = 0;
}
void evolve_one(state& s, const named& e, changes& changed) {
  s.name = e.text;
  changed.name = true;
}
void evolve_one(state& s, const asked& e, changes& changed) {
  s.asked += 1;
  s.unanswered[e.id] = {e.target, e.n};
  changed.asks.push_back(e.id);
}
void evolve_one(state& s, const answered& e, changes& changed) {
  s.unanswered.erase(e.id);
  changed.asks.push_back(e.id);
}
void evolve_one(state& s, const received& e, changes& changed) {
  s.sum += e.n;
  s.received[e.id] = {e.from, e.n};
  changed.received.push_back(e.id);
}

}  // namespace

counter shown(const state& s) {
  return {s.key, s.limit, s.sum, s.deadline, s.name, static_cast<std::int64_t>(s.unanswered.size())};
}

std::vector<effect> kind::outbox(const state& s) {
  std::vector<effect> out;
  for (const auto& [id, a] : s.unanswered) {
    if (out.size() == effects_max)
      break;
    if (a.target.empty())
      out.push_back({id, {}, a.n});
    else
      out.push_back({id, {name, a.target}, command{receive{s.key, id, a.n}}});
  }
  return out;
}

command kind::heard(const std::string& id, const effect_answer& a) {
  return sample::heard{id, std::holds_alternative<std::any>(a)};
}

std::any kind::perform(const std::any& input, std::stop_token, const settings&) {
  return std::any_cast<std::int64_t>(input) * 2;
}

state kind::initial(const std::string& key) {
  state s;
  s.key = key;
  return s;
}

answer kind::decide(decision<kind>& d, const command& c) {
  return std::visit(
      [&]<class Command>(const Command& one) -> answer {
        if (!std::is_same_v<Command, create> && !d.state().exists)
          return refusal{code::not_found, "There is no such counter", {}};
        return on(d, one);
      },
      c);
}

void kind::evolve(state& s, const event& e, instant, changes& changed) {
  std::visit([&](const auto& one) { evolve_one(s, one, changed); }, e);
}

std::size_t kind::weight(const state& s) { return 200 + 100 * (s.unanswered.size() + s.received.size()); }

milliseconds kind::wait_limit(const command& c) {
  const auto* t = std::get_if<take>(&c);
  return milliseconds{t ? t->wait_ms : 0};
}

bool kind::can_answer(const state& s, const command& c, instant) {
  const auto* t = std::get_if<take>(&c);
  return !t || !s.exists || s.sum >= t->n;
}

}  // namespace callboard::sample
