#include "http/api/queue/lookups.hpp"

#include "http/api/ask.hpp"
#include "http/api/service.hpp"
#include "http/transport/completions.hpp"

#include <memory>
#include <mutex>

namespace callboard::http {
namespace {

/// Many questions with one end.
template <class Value>
struct gathering {
  std::mutex mutex;
  std::size_t left = 0;
  bool asked = true;
  std::unordered_map<std::string, Value> found;

  /// True for the last answer.
  bool take(bool was_asked, const std::string& job_key, const Value* value) {
    const std::lock_guard lock{mutex};
    asked = asked && was_asked;
    if (value)
      found.emplace(job_key, *value);
    return --left == 0;
  }
};

/// Asks for each of these places; `go` is called once, by whoever answers last.
template <class Value, class Go>
void gather(persistence::grouped<std::string, Value>& from, const std::vector<std::string>& job_keys, Go go) {
  auto all = std::make_shared<gathering<Value>>();
  all->left = job_keys.size();
  for (const auto& job_key : job_keys)
    from.ask(job_key, [all, job_key, go](bool asked, const Value* value) {
      if (all->take(asked, job_key, value))
        go(all->asked, std::move(all->found));
    });
}

}  // namespace

void queue_lookups::check_finished(const std::string& queue, queue::enqueue& command, std::function<void(bool)> go) {
  std::vector<std::string> job_keys;
  for (const auto& j : command.jobs)
    job_keys.push_back(queue::job_key(queue, j.id));
  gather(finished_, job_keys, [queue, &command, go = std::move(go)](bool asked, const auto& found) {
    for (auto& j : command.jobs) {
      const auto it = found.find(queue::job_key(queue, j.id));
      j.finished = it == found.end() ? std::nullopt : std::optional{it->second};
    }
    go(asked);
  });
}

namespace {

std::size_t bytes_of(const std::string& job_key, const queue::job_payload& w) {
  return 2 * job_key.size() + w.data.size() + w.metadata.size() + 500;
}

}  // namespace

void queue_lookups::remember(std::string job_key, queue::job_payload w) {
  const auto bytes = bytes_of(job_key, w);
  const std::lock_guard lock{mutex_};
  const auto now = std::chrono::steady_clock::now();
  // Who was recalled is gone already; who waits for longer than this will not be claimed soon.
  while (!oldest_first_.empty() && now - oldest_first_.front().first > remembered_for) {
    if (const auto it = remembered_.find(oldest_first_.front().second); it != remembered_.end()) {
      remembered_bytes_ -= bytes_of(it->first, it->second);
      remembered_.erase(it);
    }
    oldest_first_.pop_front();
  }
  if (remembered_bytes_ + bytes > remembered_bytes_max)
    return;
  remembered_bytes_ += bytes;
  oldest_first_.emplace_back(now, job_key);
  remembered_.emplace(std::move(job_key), std::move(w));
}

std::optional<queue::job_payload> queue_lookups::recall(const std::string& job_key) {
  const std::lock_guard lock{mutex_};
  const auto it = remembered_.find(job_key);
  if (it == remembered_.end())
    return std::nullopt;
  remembered_bytes_ -= bytes_of(it->first, it->second);
  auto out = std::move(it->second);
  remembered_.erase(it);
  // A queue that is worked off as fast as it fills leaves only names behind.
  if (oldest_first_.size() > 2 * remembered_.size() + 1'000)
    std::erase_if(oldest_first_, [this](const auto& name) { return !remembered_.contains(name.second); });
  return out;
}

void queue_lookups::find_payloads(std::vector<std::string> job_keys, payloads_sink go) {
  gather(payloads_, job_keys, std::move(go));
}

task<void> attach_payloads(request_context& x, std::vector<queue::job_view>& jobs) {
  if (jobs.empty())
    co_return;
  std::vector<std::string> job_keys;
  for (auto& j : jobs) {
    auto job_key = queue::job_key(j.queue, j.id);
    if (auto known = j.is_first_claim ? x.app.work.recall(job_key) : std::nullopt)
      queue::fill_in(j, std::move(*known));
    else
      job_keys.push_back(std::move(job_key));
  }
  if (job_keys.empty())
    co_return;
  auto to = std::make_shared<promise<queue::payloads_by_key>>(x.io);
  auto here = to->get_future();
  x.app.work.find_payloads(std::move(job_keys), [to](bool asked, queue::payloads_by_key found) {
    if (asked)
      to->send(std::move(found));
    else
      to->refuse(not_applied());
  });
  auto found = co_await received(std::move(here));
  for (auto& j : jobs)
    if (const auto it = found.find(queue::job_key(j.queue, j.id)); it != found.end()) {
      // When it was claimed nobody had said anything about it, whatever was said since.
      if (!j.progress.text.empty() && j.progress.text != "null")
        it->second.report = {};
      queue::fill_in(j, std::move(it->second));
    }
}

}  // namespace callboard::http
