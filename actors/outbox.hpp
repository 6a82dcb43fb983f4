#pragma once

#include "actors/effect.hpp"
#include "base/instant.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace callboard::actors {

/// Which effects of one entity were sent and when the unanswered ones are sent again. In memory only: after a restart
/// the state asks for all of them anew.
class outbox {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// The effects that the state asks for and that were not taken on before. Effects that it no longer asks for are
  /// forgotten, and work under way for them is cancelled.
  std::vector<effect> update(std::vector<effect> wanted) {
    std::set<std::string_view> ids;
    for (const auto& e : wanted)
      ids.insert(e.id);
    for (auto it = open_.begin(); it != open_.end();)
      if (ids.contains(it->first))
        ++it;
      else {
        it->second.cancel.request_stop();
        it = open_.erase(it);
      }
    std::vector<effect> fresh;
    for (auto& e : wanted)
      if (open_.size() < effects_max && open_.try_emplace(e.id).second)
        fresh.push_back(std::move(e));
    return fresh;
  }

  bool knows(const std::string& id) const { return open_.contains(id); }
  bool empty() const { return open_.empty(); }

  /// It is on its way; the pause before it may be sent again doubles from 1 s to 60 s, with jitter.
  void sent(const std::string& id, time_point now, std::stop_source cancel = std::stop_source{std::nostopstate}) {
    const auto it = open_.find(id);
    if (it == open_.end())
      return;
    auto& o = it->second;
    const auto pause = std::min<std::int64_t>(60'000, std::int64_t{1'000} << std::min(o.tries++, 6));
    o.under_way = true;
    o.again = now + std::chrono::milliseconds{
                        pause / 2 + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(pause / 2 + 1))};
    o.cancel = std::move(cancel);
  }
  /// It was answered; until the state has taken the answer in, it counts as unanswered.
  void returned(const std::string& id) {
    if (const auto it = open_.find(id); it != open_.end())
      it->second.under_way = false;
  }
  bool is_due(const std::string& id, time_point now) const {
    const auto it = open_.find(id);
    return it != open_.end() && !it->second.under_way && it->second.tries > 0 && it->second.again <= now;
  }
  /// When the next one is sent again.
  std::optional<time_point> next() const {
    std::optional<time_point> first;
    for (const auto& [id, o] : open_)
      if (!o.under_way && o.tries > 0 && (!first || o.again < *first))
        first = o.again;
    return first;
  }

  void clear() {
    for (auto& [id, o] : open_)
      o.cancel.request_stop();
    open_.clear();
    look_.reset();
  }

  /// Whether somebody has to look then: not when an earlier look is coming.
  bool plan_look(time_point then) {
    if (look_ && *look_ <= then)
      return false;
    look_ = then;
    return true;
  }
  void looked(time_point then) {
    if (look_ == then)
      look_.reset();
  }

private:
  struct state {
    int tries = 0;
    bool under_way = false;
    time_point again{};
    std::stop_source cancel{std::nostopstate};
  };
  std::map<std::string, state> open_;
  std::optional<time_point> look_;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace callboard::actors
