#include "opening_run.hpp"

#include "messages/event_codec.hpp"

#include <map>
#include <set>

namespace callboard::simulation {
namespace {

using persistence::batch;

/// Every decision has one of these; the rest of it are promotions.
constexpr const char* primary =
    "('JOB_CREATED', 'JOB_UPDATED', 'APPLIED', 'WITHDRAWN', 'ACKNOWLEDGED', 'DECLINED', 'ADDED')";

}  // namespace

opening_run::opening_run(unsigned seed) : random_run{world_, seed, primary}, world_{seed} {
  for (int i = 0; i < 3; ++i) {
    auto c = job(1 + any(3), 1 + any(20));
    c.offer_on_apply = often(30);
    c.ack_window_on_apply_s = 1 + any(20);
    openings_.push_back(world_.create(c));
  }
  counter_ = world_.create();
}

void opening_run::command() {
  const auto& id = some(openings_);
  const auto number = nth(id, 1 + any(12));
  switch (any(13)) {
  case 0:
  case 1:
  case 2:
    return add(world_.send(id, by(1 + any(8))), true);
  case 3:
  case 4: {
    const auto email = "p" + std::to_string(any(4)) + "@example.org";
    auto p = world_.send_public(id, email);
    applied_.emplace_back(p, email);
    return add(std::move(p), true);
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
  case 11:  // another kind in the same batches
    return add(world_.send(counter_, sample::add{1}), true);
  default: {
    const auto key = "create-" + std::to_string(any(3));
    const auto p = world_.send_create(job(1), key);
    return add(p, true, key);
  }
  }
}

/// Decides for one of ours, or registers an address.
void opening_run::interfere() {
  if (often(50))
    return world_.store.next(
        [this, id = some(openings_), stranger = 1'000 + ++strangers_](const batch& b, persistence::store& inner) {
          if (!over_)
            second_writer{world_.faults->behind(), world_.now()}.decides<opening::kind>(id, by(stranger));
          return inner.commit(b);
        });
  world_.store.next([this, n = any(4), id = 1'000'000 + ++strangers_](const batch& b, persistence::store& inner) {
    const auto email = "p" + std::to_string(n) + "@example.org";
    if (!over_ && world_.count("select count(*) from applicants where email = '" + email + "'") == 0)
      second_writer{world_.faults->behind(), world_.now()}.put(
          to_row(applicant_row{{id}, "Stranger", email, world_.now()}));
    return inner.commit(b);
  });
}

void opening_run::touch_all() {
  for (const auto& id : openings_)
    add(world_.send(id, with_title("The end")), true);
}

void opening_run::check_people() {
  for (const auto& [p, email] : applied_)
    if (p->accepted()) {
      const auto who = p->get<opening::application_result>().applicant;
      require(world_.text("select email from applicants where id = " + std::to_string(who.value)) == email,
              p->name() + " applied as somebody else");
    }
  require(world_.count("select count(*) from applicants a where a.id < 1000000 and not exists "
                       "(select 1 from applications x where x.applicant = a.id)") == 0,
          "somebody is registered who never applied");
}

/// Live never grows above capacity, at no point of the journal, and in the end no slot is free while somebody may have
/// it.
void opening_run::check_openings() {
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

}  // namespace callboard::simulation
