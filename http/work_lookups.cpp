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

void work_lookups::find_words(std::vector<std::string> places, words_sink go) { gather(words_, places, std::move(go)); }

task<void> fill_words(exchange& x, std::vector<queue::job_view>& jobs) {
  if (jobs.empty())
    co_return;
  std::vector<std::string> places;
  for (const auto& j : jobs)
    places.push_back(queue::place_of(j.queue, j.id));
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
    if (const auto it = found.find(queue::place_of(j.queue, j.id)); it != found.end())
      queue::fill_in(j, std::move(it->second));
}

} // namespace callboard::http
