#pragma once

#include "actors/actor_messages.hpp"
#include "actors/decision.hpp"
#include "actors/environment.hpp"
#include "actors/request.hpp"
#include "actors/waiters.hpp"
#include "base/hex.hpp"
#include "base/log.hpp"
#include "messages/event_codec.hpp"
#include "persistence/append.hpp"
#include "persistence/chain.hpp"
#include "persistence/rows.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace callboard::actors {

/// An entity as the store has it.
template <class Kind>
struct loaded {
  std::int64_t seq = 0;
  std::string hash;
  instant at;
  std::optional<instant> stored_due;
  std::shared_ptr<typename Kind::state> state;  ///< none when the entity does not exist
};

/// An answer of this kind that waits for its commit.
template <class Kind>
class entity_reply final : public persistence::pending_reply {
public:
  using outcome = std::variant<typename Kind::result, refusal, replay>;

  /// `told` becomes true when the caller has been told, whatever it was.
  entity_reply(std::shared_ptr<request_to<Kind>> r, outcome o, std::int64_t version,
               std::shared_ptr<std::atomic<bool>> notified = nullptr)
      : request_{std::move(r)}, outcome_{std::move(o)}, version_{version}, notified_{std::move(notified)} {}

  void release() override {
    tell();
    if (auto* result = std::get_if<typename Kind::result>(&outcome_))
      request_->answer(std::move(*result), version_);
    else if (auto* no = std::get_if<refusal>(&outcome_))
      request_->refuse(std::move(*no));
    else
      request_->answer_again(std::move(std::get<replay>(outcome_)));
    request_.reset();
  }
  void fail(code why) override {
    tell();
    request_->fail(why);
  }
  bool is_write() const override {
    return request_->is_write && std::holds_alternative<typename Kind::result>(outcome_);
  }
  void undone(bool lost_name) override { request_->lost_name |= lost_name; }
  void again() override { request_->fail(code::not_applied); }
  std::shared_ptr<request_to<Kind>> take_request() { return std::move(request_); }

private:
  void tell() {
    if (notified_)
      notified_->store(true, std::memory_order_release);
  }

  std::shared_ptr<request_to<Kind>> request_;
  outcome outcome_;
  std::int64_t version_;
  std::shared_ptr<std::atomic<bool>> notified_;
};

/// The only place where a command meets the journal: decides in memory, in mailbox order, ahead of the disk; what it
/// decided travels to the writer with the finished answers. One incarnation is one life of the state inside this actor.
template <class Kind>
class entity final : public caf::event_based_actor {
public:
  using command_ptr = std::shared_ptr<request_to<Kind>>;
  using loads = persistence::grouped<std::string, loaded<Kind>>;

  entity(caf::actor_config& cfg, environment& env, loads& from, std::string key, caf::actor supervisor,
         std::shared_ptr<resident_metrics> metrics)
      : caf::event_based_actor{cfg}, env_{env}, loads_{from}, id_{Kind::name, std::move(key)},
        supervisor_{std::move(supervisor)}, metrics_{std::move(metrics)} {}

  caf::behavior make_behavior() override {
    return {
        [this](const request_ptr& r) {
          waiting_.push_back(std::static_pointer_cast<request_to<Kind>>(r));
          proceed();
          hand_over();
        },
        [this](const turn& t) {
          (*t)();
          hand_over();
        },
        [this](tick_atom) {
          tick_wanted_ = true;
          proceed();
          hand_over();
        },
        [this](resume_atom) {
          phase_ = phase::absent;
          proceed();
          hand_over();
        },
        [this](banned_atom) { give_up(code::entity_quarantined); },
        [this](leave_atom) { leave(); },
        [this](drain_atom) {
          proceed();
          hand_over();
        },
    };
  }

  void on_exit() override {
    // A life knows how to reach its actor, the actor holds its life: somebody has to let go.
    life_.reset();
    supervisor_ = nullptr;
    waiting_.clear();
    keyed_.clear();
    parked_.clear();
  }

private:
  enum class phase { absent, loading, resting, living };

  /// A request with an Idempotency-Key between its arrival and its commit.
  struct keyed {
    std::string fingerprint;
    command_ptr owner;
    bool is_new = false;  ///< looked up: nobody asked before
    std::optional<replay> answer;
    std::shared_ptr<std::atomic<bool>> notified;  ///< set with the answer: from then on the store knows
    std::deque<command_ptr> joiners;
  };

  // The life of the state

  void proceed() {
    while (tick_wanted_ || !waiting_.empty()) {
      if (!alive())
        return watch_deadlines();
      if (tick_wanted_) {
        tick_wanted_ = false;
        if (!settle_due(true))
          return;
        continue;
      }
      if (!settle_due(false))
        return;
      // Whoever waited for something comes before whoever comes now.
      wake_parked();
      if (phase_ != phase::living || waiting_.empty())
        continue;
      auto next = std::move(waiting_.front());
      waiting_.pop_front();
      handle(std::move(next));
    }
    wake_parked();
    if (seq_ == 0 && parked_.empty() && phase_ == phase::living && keyed_.empty() && life_->committed == 0)
      caf::anon_send(supervisor_, idle_atom::value, id_);
  }

  bool alive() {
    if (life_ && (life_->cut || store_generation_ != env_.writer.store_generation()))
      drop_state();
    if (phase_ == phase::living)
      return true;
    if (phase_ == phase::absent) {
      if (!waiting_.empty() && waiting_.front()->creates && !was_loaded_) {
        store_generation_ = env_.writer.store_generation();
        begin({});
      } else
        start_loading();
    }
    return phase_ == phase::living;
  }

  /// While the state is away nobody takes from the line: see to it that nobody stands there past its deadline.
  void watch_deadlines() {
    if (watching_ || waiting_.empty())
      return;
    watching_ = true;
    delayed_anon_send(caf::actor_cast<caf::actor>(this), std::chrono::seconds{1}, make_turn([this] {
                        watching_ = false;
                        turn_late_away();
                        proceed();
                      }));
  }

  void turn_late_away() {
    const auto now = env_.steady_now();
    const auto in_time = [now](const command_ptr& q) { return now <= q->deadline; };
    const auto late = std::stable_partition(waiting_.begin(), waiting_.end(), in_time);
    const std::vector<command_ptr> gone{late, waiting_.end()};
    waiting_.erase(late, waiting_.end());
    for (const auto& q : gone)
      turn_away(q, code::not_applied);
  }

  /// Whoever joined it is decided on its own.
  void turn_away(const command_ptr& q, code why) {
    if (q->key)
      if (const auto it = keyed_.find(q->key->digest); it != keyed_.end() && it->second.owner == q)
        forget(q, &it->second);
    q->fail(why);
  }

  void start_loading() {
    hand_over();
    phase_ = phase::loading;
    store_generation_ = env_.writer.store_generation();
    auto self = caf::actor_cast<caf::actor>(this);
    // Behind everything the last incarnation sent; what was handed back of it comes along.
    env_.writer.submit(id_, [this, self](persistence::replies back) {
      auto shared = std::make_shared<persistence::replies>(std::move(back));
      loads_.ask(id_.key, [this, self, shared](bool asked, const loaded<Kind>* found) {
        auto what = found ? *found : loaded<Kind>{};
        caf::anon_send(self,
                       make_turn([this, shared, asked, what = std::move(what)] { on_loaded(asked, what, *shared); }));
      });
    });
  }

  void on_loaded(bool asked, const loaded<Kind>& found, persistence::replies& back) {
    take_back(back);
    if (!asked) {
      phase_ = phase::absent;
      wake_soon();  // something may have been due that nobody remembers now
      return give_up(code::not_applied);
    }
    begin(found);
    // Whoever was woken for this may have gone with the last incarnation.
    if (is_due(decision_time()) && !tick_wanted_ && waiting_.empty())
      wake_soon();
    proceed();
  }

  /// What was handed back stands before everything that came later.
  void take_back(persistence::replies& back) {
    std::deque<command_ptr> first;
    for (auto& r : back) {
      auto q = static_cast<entity_reply<Kind>&>(*r).take_request();
      if (q->lost_name && q->resolve_again)
        std::exchange(q->lost_name, false), q->resolve_again(q);
      else
        first.push_back(std::move(q));
    }
    waiting_.insert(waiting_.begin(), std::move_iterator{first.begin()}, std::move_iterator{first.end()});
  }

  void begin(const loaded<Kind>& from) {
    was_loaded_ = true;
    phase_ = phase::living;
    state_ = from.state ? from.state : std::make_shared<typename Kind::state>(Kind::initial(id_.key));
    seq_ = from.seq;
    hash_ = from.hash;
    last_at_ = from.at;
    stored_due_ = from.stored_due;
    life_ = std::make_shared<persistence::incarnation>(seq_);
    auto self = caf::actor_cast<caf::actor>(this);
    life_->on_cut = [this, self] { caf::anon_send(self, make_turn([this] { on_cut(); })); };
    weigh();
  }

  /// Commands were handed back: they need the next incarnation at once, whoever else waits or not.
  void on_cut() {
    if (life_ && life_->cut)
      drop_state();
    if (phase_ == phase::absent)
      start_loading();
    else if (phase_ == phase::resting)
      fetch_handed_back();
    proceed();
  }

  /// While this actor may not load its commands wait here, where their deadlines are watched.
  void fetch_handed_back() {
    hand_over();
    auto self = caf::actor_cast<caf::actor>(this);
    env_.writer.submit(id_, [this, self](persistence::replies back) {
      auto shared = std::make_shared<persistence::replies>(std::move(back));
      caf::anon_send(self, make_turn([this, shared] {
                       take_back(*shared);
                       proceed();
                     }));
    });
  }

  /// Forgets everything that was not committed; commands that wait for a look-up of their key are decided anew.
  void drop_state() {
    free_state();
    life_.reset();
    phase_ = phase::absent;
    for (auto& [digest, entry] : keyed_) {
      if (!entry.is_new)  // else it stands in line already, or was decided
        waiting_.push_front(entry.owner);
      for (auto& j : entry.joiners)
        waiting_.push_back(j);
    }
    keyed_.clear();
  }

  void free_state() {
    // A million entries take a while to free: not in a turn of ours.
    if (metrics_->weight > 1'000'000)
      env_.loaders.submit([s = std::move(state_)](persistence::reader&) mutable { s.reset(); });
    state_.reset();
  }

  void give_up(code why) {
    for (auto& q : parked_.take_all())
      turn_away(q, why);
    while (!waiting_.empty()) {
      const auto q = std::move(waiting_.front());
      waiting_.pop_front();
      turn_away(q, why);
    }
    if (std::exchange(tick_wanted_, false))
      wake_soon();
  }

  /// A tick that came to nothing is not the last one.
  void wake_soon() { env_.arm(id_, env_.time.now() + std::chrono::seconds{1}); }

  void crash(const std::exception& e) {
    log_line(log_level::error, "an entity failed and loads again",
             {{"kind", std::string{Kind::name}}, {"key", id_.key}, {"what", e.what()}});
    drop_state();
    phase_ = phase::resting;
    caf::anon_send(supervisor_, crashed_atom::value, id_);
  }

  void leave() {
    const bool settled = phase_ == phase::absent ||
                         (phase_ == phase::living && !life_->cut && life_->committed == seq_ && keyed_settled());
    if (!settled || !waiting_.empty() || !parked_.empty() || tick_wanted_) {
      caf::anon_send(supervisor_, stays_atom::value, id_);
      return;
    }
    free_state();
    metrics_->weight = 0;
    caf::anon_send(supervisor_, left_atom::value, id_);
    quit();
  }

  void weigh() { metrics_->weight = static_cast<std::int64_t>(Kind::weight(*state_)); }

  // Decisions

  /// Times of one entity never go back.
  instant decision_time() const { return std::max(last_at_, env_.time.now()); }

  bool is_due(instant now) const {
    const auto due = seq_ > 0 ? Kind::deadline(*state_) : std::nullopt;
    return due && *due <= now;
  }

  /// Decides what is due, one decision a turn; false while more is due: then this goes on in a turn of its own, before
  /// anything that waits.
  bool settle_due(bool ticked) {
    const auto now = decision_time();
    if (is_due(now)) {
      if (env_.writer.is_down()) {
        tick_wanted_ = true;
        give_up(code::not_applied);
        return false;
      }
      if (!decide_due(now))
        return false;
      if (is_due(now)) {
        tick_wanted_ = tick_wanted_ || ticked;
        caf::anon_send(this, make_turn([this] { proceed(); }));
        return false;
      }
    } else if (ticked)
      mend_timer();
    return true;
  }

  bool decide_due(instant now) {
    decision<Kind> d{*state_, now, seq_};
    try {
      Kind::decide(d, typename Kind::command{tick_command()});
      send(d, by_time(), {});
      return true;
    } catch (const std::exception& e) {
      tick_wanted_ = true;
      crash(e);
      return false;
    }
  }

  /// Woken for nothing: the stored time was early. Set it to the true deadline.
  void mend_timer() {
    const auto due = seq_ > 0 ? Kind::deadline(*state_) : std::nullopt;
    if (stored_due_ == due) {
      if (due)
        env_.arm(id_, *due);
      return;
    }
    if (env_.writer.is_down())
      return wake_soon();
    persistence::append a;
    a.entity = id_;
    a.life = life_;
    a.expected = seq_;
    put_timer(a, due);
    decided_.push_back(std::move(a));
  }

  void put_timer(persistence::append& a, std::optional<instant> due) {
    auto r = to_row(persistence::timer_row{std::string{Kind::name}, id_.key, shard_of(Kind::name, id_.key),
                                           due.value_or(instant{})});
    r.erased = !due;
    a.rows.push_back(std::move(r));
    a.arm = due;
    stored_due_ = due;
  }

  void handle(command_ptr q) {
    if (env_.steady_now() > q->deadline || (q->is_write && env_.writer.is_down()))
      return turn_away(q, code::not_applied);
    if (q->key)
      return handle_keyed(std::move(q));
    decide(std::move(q), nullptr);
  }

  void decide(command_ptr q, keyed* entry) {
    if (parks(*q))
      return park(std::move(q));
    if (q->if_match && seq_ > 0 && *q->if_match != seq_) {
      forget(q, entry);
      return answer(std::move(q),
                    refusal{code::precondition_failed, "The version is " + std::to_string(seq_) + " now", {}});
    }
    decision<Kind> d{*state_, decision_time(), seq_};
    try {
      auto a = Kind::decide(d, q->command);
      if (auto* no = std::get_if<refusal>(&a)) {
        forget(q, entry);
        if (d.is_empty())
          return answer(std::move(q), std::move(*no));
        return send(d, q->by, std::make_unique<entity_reply<Kind>>(q, std::move(*no), d.version()));
      }
      auto& result = std::get<typename Kind::result>(a);
      if (entry)
        remember(d, *q, *entry, result);
      if (d.is_empty())
        return answer(std::move(q), std::move(result));
      const auto version = d.version();
      auto by = q->by;
      send(d, std::move(by),
           std::make_unique<entity_reply<Kind>>(std::move(q), std::move(result), version,
                                                entry ? entry->notified : nullptr));
    } catch (const std::exception& e) {
      if (q)
        q->fail(code::internal);
      crash(e);
    }
  }

  // Waiting for something to happen

  bool parks(const request_to<Kind>& q) const {
    if constexpr (can_wait<Kind>)
      return !env_.draining && env_.steady_now() < waiters<Kind>::ends(q) &&
             !Kind::can_answer(*state_, q.command, decision_time());
    else
      return false;
  }

  void park(command_ptr q) {
    q->release_slot();
    q->parked = true;
    parked_.add(std::move(q));
    watch_parked();
  }

  /// In the order of their arrival, those for whom something is there; then those who waited long enough.
  void wake_parked() {
    if constexpr (can_wait<Kind>) {
      // Who waits needs the state as much as who asks.
      if (parked_.empty() || !alive())
        return;
      const auto can = [this](const Kind::command& c) { return Kind::can_answer(*state_, c, decision_time()); };
      const auto any = [this] { return Kind::can_answer_any(*state_, decision_time()); };
      // What is due is decided before anything else here too.
      if (is_due(decision_time()) && !settle_due(false))
        return;
      while (auto q = parked_.next(can, any, env_.draining ? waiters<Kind>::end_of_time : env_.steady_now())) {
        decide_parked(std::move(q));
        if (phase_ != phase::living)
          return;
      }
      watch_parked();
    }
  }

  void decide_parked(command_ptr q) {
    q->parked = false;
    // From now on it waits for nothing but its decision.
    q->deadline = env_.steady_now() + (q->deadline - q->arrived);
    if (q->abandoned || (q->is_write && env_.writer.is_down()))
      return turn_away(q, code::not_applied);
    if (!q->key)
      return decide(std::move(q), nullptr);
    const auto it = keyed_.find(q->key->digest);
    if (it == keyed_.end() || it->second.owner != q)
      return handle_keyed(std::move(q));  // the state was dropped meanwhile
    decide(std::move(q), &it->second);
  }

  /// Wakes this actor when somebody has waited long enough, or when time alone lets somebody go on.
  void watch_parked() {
    if constexpr (can_wait<Kind>) {
      const auto now = env_.steady_now();
      const auto then = parked_.next_look(now, Kind::next_possible_at(*state_, decision_time()), decision_time());
      if (!then)
        return;
      const auto pause = std::max(std::chrono::ceil<milliseconds>(*then - now), milliseconds{1});
      delayed_anon_send(caf::actor_cast<caf::actor>(this), std::chrono::milliseconds{pause}, make_turn([this, then] {
                          parked_.looked(*then);
                          proceed();
                        }));
    }
  }

  /// An answer without events: at once when everything it saw is stored, else behind that.
  void answer(command_ptr q, typename entity_reply<Kind>::outcome o) {
    auto reply = std::make_unique<entity_reply<Kind>>(std::move(q), std::move(o), seq_);
    if (life_->committed.load(std::memory_order_acquire) == seq_)
      return reply->release();
    answer_behind(std::move(reply));
  }

  /// After everything that this life has sent.
  void answer_behind(std::unique_ptr<persistence::pending_reply> reply) {
    persistence::append a;
    a.entity = id_;
    a.life = life_;
    a.expected = seq_;
    a.replies.push_back(std::move(reply));
    decided_.push_back(std::move(a));
  }

  void send(decision<Kind>& d, std::shared_ptr<const origin> by, std::unique_ptr<persistence::pending_reply> reply) {
    persistence::append a;
    a.entity = id_;
    a.life = life_;
    a.expected = seq_;
    a.events.reserve(d.events.size());
    for (const auto& e : d.events) {
      auto [type, data] = encode_event(e);
      auto subject = Kind::subject(e);
      seq_ += 1;
      hash_ = persistence::chain_hash(hash_, Kind::name, id_.key, seq_, type, d.now, subject, *by, data);
      a.events.push_back({type, d.now, std::move(subject), std::move(data), hash_});
    }
    a.by = std::move(by);
    a.rows = std::move(d.extra_rows);
    if (!d.events.empty()) {
      last_at_ = d.now;
      Kind::rows(*state_, d.changed, seq_, a.rows);
      weigh();
    }
    const auto due = Kind::deadline(*state_);
    // The stored time may be early, never late; one that has passed has done its duty.
    const bool earlier = due && (!stored_due_ || *due < *stored_due_);
    const bool spent = stored_due_ && *stored_due_ <= d.now && stored_due_ != due;
    if (earlier || spent)
      put_timer(a, due);
    if (reply)
      a.replies.push_back(std::move(reply));
    decided_.push_back(std::move(a));
  }

  /// What one turn decided goes to the writer together: somebody who waited for what just happened shares its commit.
  void hand_over() {
    if (!decided_.empty())
      env_.writer.submit(std::exchange(decided_, {}));
  }

  static typename Kind::command tick_command() { return typename Kind::tick{}; }
  /// What time decides has no caller; the hash that it builds on makes a trace of its own.
  std::shared_ptr<const origin> by_time() const {
    return std::make_shared<const origin>(
        origin{"system", "clock", "deadline", persistence::to_hex(hash_.substr(0, 16)), ""});
  }

  // Idempotency: looked up after arrival, so that two arrivals can not both find nothing.

  void handle_keyed(command_ptr q) {
    forget_notified();
    auto [it, is_first] = keyed_.try_emplace(q->key->digest);
    auto& entry = it->second;
    if (is_first) {
      q->joined = false;
      entry.fingerprint = q->key->fingerprint;
      entry.owner = q;
      return look_up(q->key->digest);
    }
    if (entry.owner == q && entry.is_new)
      return decide(std::move(q), &entry);
    q->joined = true;
    if (entry.owner && entry.owner->parked)
      return q->fail(code::not_applied);  // that may take a while
    if (entry.answer)
      return answer_joiner(std::move(q), entry);
    entry.joiners.push_back(std::move(q));
  }

  void answer_joiner(command_ptr q, const keyed& entry) {
    if (q->key->fingerprint != entry.fingerprint)
      return answer(std::move(q), idempotency_mismatch());
    // Its record may still be on the way although every event is stored: a 2xx without events has one too.
    answer_behind(std::make_unique<entity_reply<Kind>>(std::move(q), *entry.answer, seq_));
  }

  void look_up(const std::string& digest) {
    auto self = caf::actor_cast<caf::actor>(this);
    env_.answers.ask(digest, [this, self, digest](bool asked, const persistence::request_row* found) {
      auto row = found ? std::optional{*found} : std::nullopt;
      caf::anon_send(self,
                     make_turn([this, digest, asked, row = std::move(row)] { on_looked_up(digest, asked, row); }));
    });
  }

  void on_looked_up(const std::string& digest, bool asked, const std::optional<persistence::request_row>& found) {
    const auto it = keyed_.find(digest);
    if (it == keyed_.end() || it->second.is_new)
      return proceed();  // the state was dropped meanwhile; whoever asked stands in line again
    auto& entry = it->second;
    if (asked && (!found || env_.time.now() - found->at >= env_.answers_kept)) {
      entry.is_new = true;
      waiting_.push_front(entry.owner);
      return proceed();
    }
    auto all = std::move(entry.joiners);
    all.push_front(entry.owner);
    keyed_.erase(it);
    for (auto& q : all) {
      if (!asked)
        q->fail(code::not_applied);
      else if (q->key->fingerprint != found->fingerprint.data)
        q->refuse(idempotency_mismatch());
      else
        q->answer_again({static_cast<success>(found->status), found->body});
    }
    proceed();
  }

  void remember(decision<Kind>& d, const request_to<Kind>& q, keyed& entry, const typename Kind::result& result) {
    const auto how = std::visit([](const auto& r) { return how_of(r); }, result)
                         .value_or(std::visit([](const auto& c) { return success{c.answers}; }, q.command));
    entry.answer = replay{how, std::visit([](const auto& r) { return body_of(r); }, result)};
    entry.notified = std::make_shared<std::atomic<bool>>(false);
    entry.owner.reset();  // its place is free as soon as it is answered
    d.extra_rows.push_back(to_row(persistence::request_row{
        {q.key->digest}, {q.key->fingerprint}, static_cast<std::int32_t>(how), entry.answer->body, d.now}));
    for (auto& j : std::exchange(entry.joiners, {}))
      waiting_.push_front(std::move(j));
  }

  template <class Result>
  static std::string body_of(const Result& r) {
    constexpr std::size_t kept_max = 256 * 1024;
    std::string body;  // reads are not remembered
    if constexpr (described<Result>)
      body = to_json(r);
    if (body.size() <= kept_max)
      return body;
    if constexpr (requires { r.jobs.size(); })
      return R"({"count":)" + std::to_string(r.jobs.size()) + '}';
    else
      return R"({"truncated":true})";
  }

  /// A result that is not what its command usually brings says so itself.
  template <class Result>
  static std::optional<success> how_of(const Result& r) {
    if constexpr (requires { r.how(); })
      return r.how();
    else
      return std::nullopt;
  }

  /// A refusal is not remembered: whoever joined is decided on its own.
  void forget(const command_ptr& q, keyed* entry) {
    if (!entry)
      return;
    auto joiners = std::move(entry->joiners);
    keyed_.erase(q->key->digest);
    for (auto it = joiners.rbegin(); it != joiners.rend(); ++it) {
      (*it)->joined = false;
      waiting_.push_front(std::move(*it));
    }
  }

  void forget_notified() {
    std::erase_if(
        keyed_, [](const auto& e) { return e.second.notified && e.second.notified->load(std::memory_order_acquire); });
  }

  bool keyed_settled() {
    forget_notified();
    return keyed_.empty();
  }

  environment& env_;
  loads& loads_;
  entity_id id_;
  caf::actor supervisor_;
  std::shared_ptr<resident_metrics> metrics_;

  phase phase_ = phase::absent;
  bool was_loaded_ = false;
  bool tick_wanted_ = false;
  bool watching_ = false;
  std::int64_t store_generation_ = 0;  ///< of the store, when this life began to load
  std::deque<command_ptr> waiting_;
  std::vector<persistence::append> decided_;  ///< in this turn
  std::unordered_map<std::string, keyed> keyed_;
  waiters<Kind> parked_;

  std::shared_ptr<typename Kind::state> state_;
  std::shared_ptr<persistence::incarnation> life_;
  std::int64_t seq_ = 0;
  std::string hash_;
  instant last_at_;
  std::optional<instant> stored_due_;
};

/// Runs the entities of one kind: groups their loads and spawns their actors.
template <class Kind>
class host_of final : public kind_host {
public:
  using state_loader = std::function<std::unordered_map<std::string, typename Kind::state>(
      persistence::reader&, const std::vector<std::string>&)>;

  /// What the entities of a kind should do without being asked, found in the store: keys and commands.
  using maintenance_finder =
      std::function<std::vector<std::pair<std::string, typename Kind::command>>(persistence::reader&, instant now)>;

  host_of(environment& env, state_loader states, maintenance_finder maintenance = {})
      : env_{env}, loads_{env.loaders,
                          [states = std::move(states)](persistence::reader& from, std::vector<std::string> keys) {
                            return load(from, keys, states);
                          },
                          64, 2},
        find_maintenance_{std::move(maintenance)} {}

  std::string_view name() const override { return Kind::name; }

  caf::actor spawn(std::string key, caf::actor supervisor, std::shared_ptr<resident_metrics> metrics) override {
    return env_.system.template spawn<entity<Kind>>(env_, loads_, std::move(key), std::move(supervisor),
                                                    std::move(metrics));
  }

  std::vector<request_ptr> maintenance(persistence::reader& from, instant now,
                                       std::function<void(bool accepted)> ended) override {
    std::vector<request_ptr> out;
    if (find_maintenance_)
      for (auto& [key, command] : find_maintenance_(from, now)) {
        auto e = std::make_shared<system_request<Kind>>(ended);
        e->target = {Kind::name, key};
        e->command = std::move(command);
        out.push_back(std::move(e));
      }
    return out;
  }

private:
  static std::unordered_map<std::string, loaded<Kind>>
  load(persistence::reader& from, const std::vector<std::string>& keys, const state_loader& states) {
    std::unordered_map<std::string, loaded<Kind>> out;
    const std::string kind{Kind::name};
    from.query("select key, seq, hash, at from heads where kind = $1 and key = any($2::text[])", {kind, keys},
               [&](const persistence::result_row& r) {
                 auto& one = out[std::string{r.text(0)}];
                 one.seq = r.integer(1);
                 one.hash = r.blob(2);
                 one.at = from_ms(r.integer(3));
               });
    from.query(
        "select key, due from timers where kind = $1 and key = any($2::text[])", {kind, keys},
        [&](const persistence::result_row& r) { out[std::string{r.text(0)}].stored_due = from_ms(r.integer(1)); });
    for (auto& [key, state] : states(from, keys))
      out[key].state = std::make_shared<typename Kind::state>(std::move(state));
    return out;
  }

  environment& env_;
  typename entity<Kind>::loads loads_;
  maintenance_finder find_maintenance_;
};

}  // namespace callboard::actors
