#include "actors/queue/front.hpp"

#include <mutex>
#include <utility>

namespace callboard::queue {
namespace {

/// Many look-ups with one end: `done` is called once, by the last answer.
template <class Value, class Done>
void look_up_all(persistence::grouped<std::string, Value>& from, const std::vector<std::string>& keys, Done done) {
  struct gathered {
    std::mutex mutex;
    std::size_t left = 0;
    bool asked = true;
    std::unordered_map<std::string, Value> found;
  };
  auto all = std::make_shared<gathered>();
  all->left = keys.size();
  for (const auto& key : keys)
    from.ask(key, [all, key, done](bool asked, const Value* value) {
      std::unique_lock lock{all->mutex};
      all->asked = all->asked && asked;
      if (value)
        all->found.emplace(key, *value);
      if (--all->left > 0)
        return;
      lock.unlock();
      done(all->asked, all->found);
    });
}

}  // namespace

front::front(actors::environment& env, const settings&)
    : env_{env}, finished_{*env.lookups, finished_of}, payloads_{*env.lookups, payloads_of} {}

void front::admit(std::shared_ptr<actors::request_to<kind>> r) {
  const auto* c = std::get_if<enqueue>(&r->command);
  if (!c)
    return env_.forward(std::move(r));
  if (c->names_ids || r->lookups > 0)
    return check_finished(std::move(r));
  for (const auto& j : c->jobs)
    cache_.put(job_key(r->target.key, j.id), payload_in(j));
  env_.forward(std::move(r));
}

/// Finished jobs are not in memory: ids that a caller chose may be theirs.
void front::check_finished(std::shared_ptr<actors::request_to<kind>> r) {
  std::vector<std::string> keys;
  for (const auto& j : std::get<enqueue>(r->command).jobs)
    keys.push_back(job_key(r->target.key, j.id));
  look_up_all(finished_, keys, [&env = env_, r](bool asked, const auto& found) {
    if (!asked)
      return r->fail(code::not_applied);
    for (auto& j : std::get<enqueue>(r->command).jobs) {
      const auto it = found.find(job_key(r->target.key, j.id));
      j.finished = it == found.end() ? std::nullopt : std::optional{it->second};
    }
    env.forward(r);
  });
}

std::vector<std::string> front::attach_cached(std::vector<job_view>& jobs) {
  std::vector<std::string> missing;
  for (auto& j : jobs) {
    auto key = job_key(j.queue, j.id);
    if (auto known = j.is_first_claim ? cache_.take(key) : std::nullopt)
      fill_in(j, std::move(*known));
    else
      missing.push_back(std::move(key));
  }
  return missing;
}

void front::attach_stored(std::vector<job_view> jobs, const std::vector<std::string>& keys, jobs_sink done) {
  auto shared = std::make_shared<std::vector<job_view>>(std::move(jobs));
  look_up_all(payloads_, keys, [shared, done = std::move(done)](bool asked, auto& found) {
    for (auto& j : *shared)
      if (const auto it = found.find(job_key(j.queue, j.id)); it != found.end()) {
        // A first claim came before any report, whatever was reported since.
        if (!j.progress.text.empty() && j.progress.text != "null")
          it->second.report = {};
        fill_in(j, std::move(it->second));
      }
    done(asked, std::move(*shared));
  });
}

}  // namespace callboard::queue
