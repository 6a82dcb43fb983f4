#pragma once

#include "actors/entity.hpp"
#include "base/log.hpp"

#include <chrono>
#include <exception>
#include <memory>

/// Effects leave after the commit of the decision that asks for them and are repeated until the state has heard.
namespace callboard::actors {

namespace detail {

/// Rides on an append: the effects that it brought may leave once it is committed.
class commit_notice final : public persistence::pending_reply {
public:
  explicit commit_notice(std::function<void()> committed) : committed_{std::move(committed)} {}
  void release() override { committed_(); }
  void fail(code) override {}
  bool is_write() const override { return false; }
  void undone(bool) override {}
  void again() override {}

private:
  std::function<void()> committed_;
};

}  // namespace detail

template <class Kind>
std::vector<effect> entity<Kind>::wanted_effects() const {
  if constexpr (has_outbox<Kind>)
    return Kind::outbox(*state_);
  else
    return {};
}

template <class Kind>
void entity<Kind>::take_on_effects(persistence::append& a) {
  if constexpr (has_outbox<Kind>) {
    auto fresh = outbox_.update(wanted_effects());
    if (fresh.empty())
      return;
    a.replies.push_back(std::make_unique<detail::commit_notice>(
        [this, me = self(), life = life_, fresh = std::make_shared<const std::vector<effect>>(std::move(fresh))] {
          caf::anon_send(me, make_turn([this, life, fresh] {
                           if (life == life_)
                             send_effects(*fresh);
                         }));
        }));
  }
}

template <class Kind>
void entity<Kind>::send_effects(const std::vector<effect>& effects) {
  for (const auto& e : effects) {
    if (!outbox_.knows(e.id))
      continue;
    if (e.target.kind.empty()) {
      perform(e);
      continue;
    }
    auto r =
        env_.make_request(e.target, e.input, [this, me = self(), id = e.id](std::variant<std::any, refusal> outcome) {
          caf::anon_send(me, make_turn([this, id, outcome = std::move(outcome)] { on_effect_answer(id, outcome); }));
        });
    outbox_.sent(e.id, env_.steady_now());
    if (!r) {
      log_line(log_level::error, "an effect is for a kind that does not exist",
               {{"kind", std::string{Kind::name}}, {"key", id_.key}, {"effect", e.id}});
      outbox_.returned(e.id);
      continue;
    }
    r->who = std::make_shared<const principal>(system_principal);
    r->by = by_system(std::string{Kind::name} + ' ' + id_.key, e.id);
    env_.send(std::move(r));
  }
  watch_effects();
}

/// Work of the pool: the kind says how it is done, on a thread of the pool.
template <class Kind>
void entity<Kind>::perform(const effect& e) {
  if constexpr (requires(std::stop_token stop) { Kind::perform(e.input, stop, settings_); }) {
    auto deliver = [this, me = self(), id = e.id](effect_answer outcome) {
      caf::anon_send(me, make_turn([this, id, outcome = std::move(outcome)] { on_effect_answer(id, outcome); }));
    };
    auto cancel = env_.pool->submit([deliver, input = e.input, &settings = settings_](std::stop_token stop) {
      try {
        deliver(Kind::perform(input, stop, settings));
      } catch (const std::exception&) {
        deliver(refusal{code::internal, "", {}});
      }
    });
    outbox_.sent(e.id, env_.steady_now(), std::move(cancel));
  }
}

template <class Kind>
void entity<Kind>::on_effect_answer(const std::string& id, effect_answer outcome) {
  if constexpr (has_outbox<Kind>) {
    outbox_.returned(id);
    const auto* no = std::get_if<refusal>(&outcome);
    if (outbox_.knows(id) && !(no && is_transient(no->what))) {
      auto q = std::make_shared<system_request<Kind>>();
      q->target = id_;
      q->by = by_system("outbox", id);
      q->accept(env_.steady_now());
      q->command = Kind::heard(id, outcome);
      waiting_.push_back(std::move(q));
      proceed();
    }
    watch_effects();
  }
}

/// Sends those again whose pause is over.
template <class Kind>
void entity<Kind>::repeat_effects() {
  if constexpr (has_outbox<Kind>) {
    if (phase_ != phase::living)
      return;
    std::vector<effect> again;
    const auto now = env_.steady_now();
    for (auto& e : wanted_effects())
      if (outbox_.is_due(e.id, now))  // it was sent before, so it is committed
        again.push_back(std::move(e));
    send_effects(again);
  }
}

template <class Kind>
void entity<Kind>::watch_effects() {
  if constexpr (has_outbox<Kind>) {
    const auto then = outbox_.next();
    if (!then || !outbox_.plan_look(*then))
      return;
    const auto pause = std::max(std::chrono::ceil<milliseconds>(*then - env_.steady_now()), milliseconds{1});
    later(std::chrono::milliseconds{pause}, [this, then] {
      outbox_.looked(*then);
      repeat_effects();
    });
  }
}

}  // namespace callboard::actors
