#pragma once

#include "actors/actor_messages.hpp"
#include "actors/decision.hpp"
#include "actors/effect.hpp"
#include "actors/entity_reply.hpp"
#include "actors/environment.hpp"
#include "actors/keyed_requests.hpp"
#include "actors/kind.hpp"
#include "actors/outbox.hpp"
#include "actors/request.hpp"
#include "actors/waiters.hpp"
#include "persistence/append.hpp"

#include <caf/event_based_actor.hpp>

#include <deque>
#include <memory>
#include <optional>
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

/// The only place where a command meets the journal: decides in memory, in mailbox order, ahead of the disk; what it
/// decided travels to the writer with the finished answers. One incarnation is one life of the state inside this actor.
/// Its members are defined by subject: entity_loading.hpp, entity_deciding.hpp, entity_requests.hpp,
/// entity_effects.hpp.
template <class Kind>
class entity final : public caf::event_based_actor {
public:
  using command_ptr = std::shared_ptr<request_to<Kind>>;
  using loads = persistence::grouped<std::string, loaded<Kind>>;
  using keyed = typename keyed_requests<Kind>::entry;
  /// Where a request goes that lost a name: its look-ups are made again.
  using resolver = std::function<void(const command_ptr&)>;

  entity(caf::actor_config& cfg, environment& env, loads& from, const settings_of<Kind>& settings, std::string key,
         caf::actor supervisor, std::shared_ptr<resident_metrics> metrics, resolver resolve)
      : caf::event_based_actor{cfg}, env_{env}, loads_{from}, settings_{settings}, id_{Kind::name, std::move(key)},
        supervisor_{std::move(supervisor)}, metrics_{std::move(metrics)}, resolve_{std::move(resolve)},
        random_{std::random_device{}()} {}

  caf::behavior make_behavior() override {
    return {
        [this](const request_ptr& r) {
          in_turn([&] { waiting_.push_back(std::static_pointer_cast<request_to<Kind>>(r)); });
        },
        [this](const turn& t) {
          (*t)();
          hand_over();
        },
        [this](tick_atom) { in_turn([&] { tick_wanted_ = true; }); },
        [this](resume_atom) { in_turn([&] { phase_ = phase::absent; }); },
        [this](banned_atom) { give_up(code::entity_quarantined); },
        [this](leave_atom) { leave(); },
        [this](drain_atom) { in_turn([] {}); },
    };
  }

  void on_exit() override {
    // The incarnation holds a handle of this actor and the actor holds the incarnation: break the cycle.
    life_.reset();
    supervisor_ = nullptr;
    waiting_.clear();
    keyed_.clear();
    waiters_.clear();
    outbox_.clear();
  }

private:
  enum class phase { absent, loading, resting, living };

  template <class First>
  void in_turn(First&& first) {
    first();
    proceed();
    hand_over();
  }
  /// What one turn decided goes to the writer together: a waiting request that it made possible shares its commit.
  void hand_over() {
    if (!decided_.empty())
      env_.writer.submit(std::exchange(decided_, {}));
  }
  caf::actor self() { return caf::actor_cast<caf::actor>(this); }
  template <class Then>
  void later(std::chrono::milliseconds pause, Then then) {
    delayed_anon_send(self(), pause, make_turn(std::move(then)));
  }

  void proceed();

  // The life of the state (entity_loading.hpp)
  bool alive();
  void start_loading();
  void on_loaded(bool asked, const loaded<Kind>& found, persistence::replies& back);
  void take_back(persistence::replies& back);
  void begin(const loaded<Kind>& from);
  void on_cut();
  void fetch_handed_back();
  void drop_state();
  void free_state();
  void crash(const std::exception& e);
  void leave();
  void give_up(code why);
  void wake_soon() { env_.arm(id_, env_.time.now() + std::chrono::seconds{1}); }
  void weigh() { metrics_->weight = static_cast<std::int64_t>(Kind::weight(*state_)); }

  // Decisions and deadlines (entity_deciding.hpp)
  instant decision_time() const { return std::max(last_at_, env_.time.now()); }  ///< never goes back
  bool is_due(instant now) const;
  std::optional<instant> next_due(instant now) const;
  bool settle_due(bool ticked);
  bool decide_due(instant now);
  void correct_timer(instant now);
  void put_timer(persistence::append& a, std::optional<instant> due);
  void decide(command_ptr q, keyed* entry);
  void send(decision<Kind>& d, std::shared_ptr<const origin> by, std::unique_ptr<persistence::pending_reply> reply);
  void answer(command_ptr q, typename entity_reply<Kind>::outcome o);
  void answer_behind(std::unique_ptr<persistence::pending_reply> reply);
  persistence::append empty_append() const;
  callboard::context<Kind> context_at(instant now, const principal& by) { return {now, random_(), by, settings_}; }
  std::shared_ptr<const origin> attributed(const request_to<Kind>& q) const;
  std::shared_ptr<const origin> by_system(std::string id, std::string reason) const;

  // Requests: deadlines, waiting, Idempotency-Keys (entity_requests.hpp)
  void handle(command_ptr q);
  void watch_deadlines();
  void refuse_late();
  void turn_away(const command_ptr& q, code why);
  bool must_wait(const request_to<Kind>& q) const;
  void add_waiter(command_ptr q);
  void wake_waiters();
  void decide_waiter(command_ptr q);
  void watch_waiters();
  void handle_keyed(command_ptr q);
  void answer_joiner(command_ptr q, const keyed& entry);
  void look_up(const std::string& digest);
  void on_looked_up(const std::string& digest, bool asked, const std::optional<persistence::request_row>& found);
  void remember(decision<Kind>& d, const request_to<Kind>& q, keyed& entry, const typename Kind::result& result);
  void release_joiners(const command_ptr& q, keyed* entry);

  // Effects (entity_effects.hpp)
  std::vector<effect> wanted_effects() const;
  void take_on_effects(persistence::append& a);
  void send_effects(const std::vector<effect>& effects);
  void perform(const effect& e);
  void on_effect_answer(const std::string& id, effect_answer outcome);
  void repeat_effects();
  void watch_effects();

  environment& env_;
  loads& loads_;
  const settings_of<Kind>& settings_;
  entity_id id_;
  caf::actor supervisor_;
  std::shared_ptr<resident_metrics> metrics_;
  resolver resolve_;
  std::mt19937_64 random_;

  phase phase_ = phase::absent;
  bool was_loaded_ = false;
  bool tick_wanted_ = false;
  bool watching_ = false;
  std::int64_t store_generation_ = 0;  ///< when this life began to load
  std::deque<command_ptr> waiting_;
  std::vector<persistence::append> decided_;  ///< in this turn
  keyed_requests<Kind> keyed_;
  waiters<Kind> waiters_;
  outbox outbox_;

  std::shared_ptr<typename Kind::state> state_;
  std::shared_ptr<persistence::incarnation> life_;
  std::int64_t seq_ = 0;
  std::string hash_;
  instant last_at_;
  std::optional<instant> stored_due_;
};

template <class Kind>
void entity<Kind>::proceed() {
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
    // Requests that waited for something are decided before those that arrive now.
    wake_waiters();
    if (phase_ != phase::living || waiting_.empty())
      continue;
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    handle(std::move(next));
  }
  wake_waiters();
  if (seq_ == 0 && waiters_.empty() && phase_ == phase::living && keyed_.empty() && life_->committed == 0)
    caf::anon_send(supervisor_, idle_atom::value, id_);
}

}  // namespace callboard::actors
