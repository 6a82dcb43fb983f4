// Fills a store with openings and applicants, by the rules and in batches as the journal writer's.
//
//   --store=sqlite:PATH|postgresql://... --openings=1 --capacity=1000 --waiting=0
//   --ack-window=86400 --batch=1000 --prefix=seed
//
// Each opening gets `capacity` live applications and `waiting` waiting ones; with --waiting=0 it
// gets none at all. No server may have the store open meanwhile.
#include "actors/opening/rules.hpp"
#include "bench/metrics.hpp"
#include "bench/program.hpp"
#include "messages/event_codec.hpp"
#include "persistence/batch_builder.hpp"
#include "persistence/chain.hpp"
#include "persistence/spine_rows.hpp"
#include "persistence/store.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench {
namespace {

using namespace callboard;

constexpr const char* opening_ids = "openings";
constexpr const char* applicant_ids = "applicants";
constexpr std::size_t batch_bytes_max = std::size_t{8} << 20;

instant wall_clock() { return std::chrono::floor<milliseconds>(std::chrono::system_clock::now()); }

/// Commits appends in batches, as the journal writer does, but waits for each.
class batch_committer {
public:
  batch_committer(const std::string& url, std::size_t events_max)
      : store_{persistence::make_store(url)}, number_{store_->open("seed")},
        events_max_{events_max}, builder_{events_max, batch_bytes_max} {}

  /// The first of `count` ids that nobody else will ever get.
  std::int64_t take_ids(const char* of, std::int64_t count) {
    std::int64_t first = 0;
    const persistence::sql_param params[] = {std::string{of}, 1 + count, count};
    store_->write("insert into ids (name, next) values ($1, $2) "
                  "on conflict (name) do update set next = ids.next + $3 returning next",
                  params, [&](const persistence::result_row& r) { first = r.integer(0) - count; });
    return first;
  }

  void submit(persistence::append a) {
    if (builder_.take(a))
      return;
    flush();
    if (!builder_.take(a))
      throw std::logic_error("an empty batch has no room");
  }

  void flush() {
    if (builder_.empty())
      return;
    persistence::batch b{};
    const auto appends = std::exchange(builder_, {events_max_, batch_bytes_max}).finish(number_ + 1, b);
    events_ += b.lines.size();
    const auto outcome = store_->commit(b);
    if (outcome.how != persistence::commit_status::committed)
      throw std::runtime_error(told(outcome));
    ++number_;
    ++batches_;
    store_->maintain();
  }

  std::size_t events() const { return events_; }
  std::size_t batches() const { return batches_; }

private:
  static std::string told(const persistence::commit_outcome& o) {
    auto out = "a batch did not commit (ending " + std::to_string(static_cast<int>(o.how)) + "): " + o.why;
    for (const auto& head : o.heads)
      out += " head of " + head.key;
    for (const auto& taken : o.names)
      out += " name " + taken.name;
    return out;
  }

  std::unique_ptr<persistence::store> store_;
  std::int64_t number_;
  std::size_t events_max_;
  persistence::batch_builder builder_;
  std::size_t events_ = 0;
  std::size_t batches_ = 0;
};

/// One opening as its actor would lead it, without the actor.
class lone_opening {
public:
  lone_opening(std::int64_t id, batch_committer& to)
      : to_{to}, id_{opening::kind::name, std::to_string(id)}, state_{opening::kind::initial(id_.key)} {}

  void decide(const opening::command& c, const std::shared_ptr<const origin>& by) {
    // An entity's times never go back, whatever the clock does.
    last_at_ = std::max(last_at_, wall_clock());
    decision<opening::kind> d{state_, last_at_, seq_};
    const auto answer = opening::kind::decide(d, c);
    if (const auto* no = std::get_if<refusal>(&answer))
      throw std::runtime_error("refused: " + no->message);
    send(d, by);
  }

private:
  void send(decision<opening::kind>& d, const std::shared_ptr<const origin>& by) {
    persistence::append a;
    a.entity = id_;
    a.expected = seq_;
    a.by = by;
    for (const auto& e : d.events) {
      auto [type, data] = encode_event(e);
      auto subject = opening::kind::subject(e);
      seq_ += 1;
      hash_ = persistence::chain_hash(hash_, opening::kind::name, id_.key, seq_, type, d.now, subject, *by, data);
      a.events.push_back({type, d.now, std::move(subject), std::move(data), hash_});
    }
    a.rows = std::move(d.extra_rows);
    opening::kind::rows(state_, d.changed, seq_, a.rows);
    const auto due = opening::kind::deadline(state_);
    if (due && (!stored_due_ || *due < *stored_due_)) {
      a.rows.push_back(
          to_row(persistence::timer_row{std::string{id_.kind}, id_.key, shard_of(id_.kind, id_.key), *due}));
      stored_due_ = due;
    }
    to_.submit(std::move(a));
  }

  batch_committer& to_;
  entity_id id_;
  opening::state state_;
  std::int64_t seq_ = 0;
  std::string hash_;
  instant last_at_;
  std::optional<instant> stored_due_;
};

struct wanted {
  std::int64_t openings;
  std::int64_t capacity;
  std::int64_t waiting;
  std::int64_t ack_window_s;
  std::string prefix;

  std::int64_t people() const { return waiting > 0 ? capacity + waiting : 0; }
};

/// As long as a request's own would be.
const auto somebody =
    std::make_shared<const origin>(origin{"applicant", "", "", "5eed5eed5eed5eed5eed5eed5eed5eed", "5eed5eed5eed5eed"});

json fill(batch_committer& to, const wanted& w) {
  const auto first_opening = to.take_ids(opening_ids, w.openings);
  const auto first_applicant = w.people() > 0 ? to.take_ids(applicant_ids, w.openings * w.people()) : 0;
  auto person = first_applicant;
  for (std::int64_t id = first_opening; id < first_opening + w.openings; ++id) {
    lone_opening one{id, to};
    opening::create create{};
    create.title = "Seeded opening " + std::to_string(id);
    create.capacity = w.capacity;
    create.ack_window_s = w.ack_window_s;
    one.decide(create, somebody);
    for (std::int64_t i = 0; i < w.people(); ++i, ++person) {
      const auto number = std::to_string(person);
      opening::apply apply{};
      apply.applicant = {person};
      apply.job = {id};
      apply.person = std::make_shared<const applicant_row>(
          applicant_row{{person}, "Seeded " + number, w.prefix + number + "@bench.example", wall_clock()});
      one.decide(apply, somebody);
    }
  }
  to.flush();
  return {{"first_opening", first_opening}, {"openings", w.openings}, {"applications", w.openings * w.people()}};
}

void run(options given) {
  const auto url = given.text("store");
  const wanted w{.openings = given.integer("openings", 1, 1, 10'000'000),
                 .capacity = given.integer("capacity", 1'000, 1, 1'000'000),
                 .waiting = given.integer("waiting", 0, 0, 8'000'000),
                 .ack_window_s = given.integer("ack-window", 86'400, 1, 2'592'000),
                 .prefix = given.text("prefix", "seed")};
  const auto batch = static_cast<std::size_t>(given.integer("batch", 1'000, 1, 10'000));
  given.finish();
  if (url.empty())
    throw std::invalid_argument("--store is missing");
  const auto began = steady::now();
  batch_committer to{url, batch};
  auto out = fill(to, w);
  const auto seconds = std::chrono::duration<double>(steady::now() - began).count();
  out["events"] = to.events();
  out["batches"] = to.batches();
  out["seconds"] = rounded(seconds);
  out["events_per_s"] = rounded(static_cast<double>(to.events()) / seconds);
  std::cout << out.dump() << std::endl;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::exit_code_of("seed", [&] { bench::run(bench::options{argc, argv, 1}); });
}
