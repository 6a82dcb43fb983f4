#pragma once

#include "actors/entity.hpp"
#include "actors/entity_deciding.hpp"
#include "actors/entity_effects.hpp"
#include "actors/entity_loading.hpp"
#include "actors/entity_requests.hpp"
#include "actors/front.hpp"
#include "actors/kind_host.hpp"

#include <caf/actor_system.hpp>

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

/// Included by the one file per kind that instantiates `make_host`.
namespace callboard::actors {

/// A request from one entity to another; a caller's end that may be dropped unanswered is a transient refusal.
template <class Kind>
class effect_request final : public request_to<Kind> {
public:
  using sink = std::function<void(std::variant<std::any, refusal>)>;
  explicit effect_request(sink done) : done_{std::move(done)} { this->is_internal = true; }
  ~effect_request() override { end(refusal{code::not_applied, "", {}}); }

  void answer(typename Kind::result result, std::int64_t) override { end(std::any{std::move(result)}); }
  void refuse(refusal why) override { end(std::move(why)); }
  void answer_again(replay) override { end(std::any{}); }

private:
  void end(std::variant<std::any, refusal> what) {
    if (auto done = std::exchange(done_, nullptr))
      done(std::move(what));
  }
  sink done_;
};

/// Runs the entities of one kind: groups their loads and spawns their actors.
template <kind_of_entity Kind>
class host_of final : public kind_host {
public:
  host_of(environment& env, const settings_of<Kind>& settings)
      : env_{env}, settings_{settings}, front_{env, settings_}, loads_{env.loaders, load, group_max, loads_at_once} {}

  std::string_view name() const override { return Kind::name; }

  caf::actor spawn(std::string key, caf::actor supervisor, std::shared_ptr<resident_metrics> metrics) override {
    return env_.system.template spawn<entity<Kind>>(env_, loads_, settings_, std::move(key), std::move(supervisor),
                                                    std::move(metrics), [this](const auto& r) { front_.admit(r); });
  }

  void admit(request_ptr r) override {
    r->accept(env_.steady_now());
    front_.admit(std::static_pointer_cast<request_to<Kind>>(std::move(r)));
  }

  request_ptr make_request(std::string key, const std::any& command,
                           std::function<void(std::variant<std::any, refusal>)> done) override {
    auto r = std::make_shared<effect_request<Kind>>(std::move(done));
    r->target = {Kind::name, std::move(key)};
    r->command = std::any_cast<const typename Kind::command&>(command);
    return r;
  }

  std::vector<request_ptr> maintenance(persistence::reader& from, instant now,
                                       std::function<void(bool accepted)> ended) override {
    std::vector<request_ptr> out;
    if constexpr (maintained<Kind>)
      for (auto& [key, command] : Kind::maintenance(from, now, settings_)) {
        auto r = std::make_shared<system_request<Kind>>(ended);
        r->target = {Kind::name, key};
        r->command = std::move(command);
        out.push_back(std::move(r));
      }
    return out;
  }

  void* front() override { return &front_; }

private:
  static constexpr std::size_t group_max = 64;
  static constexpr int loads_at_once = 2;

  static std::unordered_map<std::string, loaded<Kind>> load(persistence::reader& from,
                                                            const std::vector<std::string>& keys) {
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
    for (auto& [key, state] : Kind::load(from, keys))
      out[key].state = std::make_shared<typename Kind::state>(std::move(state));
    return out;
  }

  environment& env_;
  const settings_of<Kind> settings_;
  typename front_of<Kind>::type front_;
  typename entity<Kind>::loads loads_;
};

template <class Kind>
std::unique_ptr<kind_host> make_host(environment& env, const settings_of<Kind>& settings) {
  return std::make_unique<host_of<Kind>>(env, settings);
}

}  // namespace callboard::actors
