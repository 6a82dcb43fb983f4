#include "http/work_lookups.hpp"

#include "http/ask.hpp"
#include "http/mailbox.hpp"
#include "http/service.hpp"

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
  bool take(bool was_asked, const std::string& place, const Value* value) {
    const std::lock_guard lock{mutex};
    asked = asked && was_asked;
    if (value)
      found.emplace(place, *value);
    return --left == 0;
  }
};

/// Asks for each of these places; `go` is called once, by whoever answers last.
template <class Value, class Go>
void gather(persistence::grouped<std::string, Value>& from, const std::vector<std::string>& places, Go go) {
  auto all = std::make_shared<gathering<Value>>();
  all->left = places.size();
  for (const auto& place : places)
    from.ask(place, [all, place, go](bool asked, const Value* value) {
      if (all->take(asked, place, value))
        go(all->asked, std::move(all->found));
    });
}

} // namespace

void work_lookups::check_finished(const std::string& queue, queue::enqueue& command, std::function<void(bool)> go) {
  std::vector<std::string> places;
  for (const auto& j : command.jobs)
    places.push_back(queue::place_of(queue, j.id));
  gather(finished_, places, [queue, &command, go = std::move(go)](bool asked, const auto& found) {
    for (auto& j : command.jobs) {
      const auto it = found.find(queue::place_of(queue, j.id));
      j.finished = it == found.end() ? std::nullopt : std::optional{it->second};
    }
    go(asked);
  });
}

namespace {

std::size_t bytes_of(const std::string& place, const queue::words& w) {
  return 2 * place.size() + w.data.size() + w.metadata.size() + 500;
}

} // namespace

void work_lookups::remember(std::string place, queue::words w) {
  const auto bytes = bytes_of(place, w);
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
  oldest_first_.emplace_back(now, place);
  remembered_.emplace(std::move(place), std::move(w));
}

std::optional<queue::words> work_lookups::recall(const std::string& place) {
  const std::lock_guard lock{mutex_};
  const auto it = remembered_.find(place);
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

void work_lookups::find_words(std::vector<std::string> places, words_sink go) { gather(words_, places, std::move(go)); }

task<void> fill_words(exchange& x, std::vector<queue::job_view>& jobs) {
  if (jobs.empty())
    co_return;
  std::vector<std::string> places;
  for (auto& j : jobs) {
    auto place = queue::place_of(j.queue, j.id);
    if (auto known = j.is_first_claim ? x.app.work.recall(place) : std::nullopt)
      queue::fill_in(j, std::move(*known));
    else
      places.push_back(std::move(place));
  }
  if (places.empty())
    co_return;
  auto to = std::make_shared<reply_sender<queue::words_by_place>>(x.io);
  auto here = to->other_end();
  x.app.work.find_words(std::move(places), [to](bool asked, queue::words_by_place found) {
    if (asked)
      to->send(std::move(found));
    else
      to->refuse(not_applied());
  });
  auto found = co_await received(std::move(here));
  for (auto& j : jobs)
    if (const auto it = found.find(queue::place_of(j.queue, j.id)); it != found.end()) {
      // When it was claimed nobody had said anything about it, whatever was said since.
      if (!j.progress.text.empty() && j.progress.text != "null")
        it->second.said = {};
      queue::fill_in(j, std::move(it->second));
    }
}

} // namespace callboard::http
