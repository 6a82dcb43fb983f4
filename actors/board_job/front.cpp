#include "actors/board_job/front.hpp"

#include "actors/board_job/reads.hpp"
#include "actors/board_job/search.hpp"

namespace callboard::board_job {

front::front(actors::environment& env, const no_settings&) : env_{env}, known_runs_{*env.lookups, known_runs} {}

void front::admit(request r) {
  if (std::holds_alternative<claim>(r->command))
    return look_up(std::move(r));
  if (std::holds_alternative<report>(r->command))
    return find_job(std::move(r));
  if (std::holds_alternative<claim_next>(r->command)) {
    auto s = std::make_shared<search>(*this, std::move(r));
    return s->begin();
  }
  env_.forward(std::move(r));
}

void front::find_known(request r, const std::string& run_id, known_sink then) {
  known_runs_.ask(run_id, [r = std::move(r), then = std::move(then)](bool asked, const known_run* found) {
    if (asked)
      then(found);
    else
      r->fail(code::not_applied);
  });
}

/// A claim: whether its run id was used before, and the run itself when it has ended and changes no more.
void front::look_up(request r) {
  auto& env = env_;
  const auto run_id = std::get<claim>(r->command).run_id;
  find_known(r, run_id, [&env, r, run_id](const known_run* found) {
    auto& c = std::get<claim>(r->command);
    c.known = found ? std::optional{*found} : std::nullopt;
    c.earlier.reset();
    const auto [board, job_id] = parts_of(r->target.key);
    if (!found || !found->ended || !found->is_of(board, job_id))
      return env.forward(r);
    env.readers->submit([&env, r, run_id](persistence::reader& from) {
      try {
        if (auto run = find_run(from, run_id))
          std::get<claim>(r->command).earlier = std::make_shared<const board_job::run>(std::move(*run));
        env.forward(r);
      } catch (const persistence::store_error&) {
        r->fail(code::not_applied);
      }
    });
  });
}

/// A report names its run only: the run's row says which job decides.
void front::find_job(request r) {
  auto& env = env_;
  const auto run_id = std::get<report>(r->command).run_id;
  find_known(r, run_id, [&env, r, run_id](const known_run* found) {
    if (!found)
      return r->refuse({code::not_found, "Run '" + run_id + "' not found", {}});
    r->target.key = key_of(found->board, found->job_id);
    if (r->key)
      r->key->bind(r->target, r->creates);
    std::get<report>(r->command).known = *found;
    env.forward(r);
  });
}

}  // namespace callboard::board_job
