#pragma once

#include "actors/request.hpp"
#include "base/instant.hpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace callboard::actors {

/// A kind some of whose commands may wait until they can be answered: how long at most, whether one can be answered
/// now, whether any at all could be, and when time alone makes it possible.
template <class Kind>
concept can_wait = requires(const typename Kind::state& s, const typename Kind::command& c, instant now) {
  { Kind::wait_limit(c) } -> std::convertible_to<milliseconds>;
  { Kind::can_answer(s, c, now) } -> std::convertible_to<bool>;
  { Kind::can_answer_any(s, now) } -> std::convertible_to<bool>;
  { Kind::next_possible_at(s, now) } -> std::convertible_to<std::optional<instant>>;
};

/// Requests that wait for something to happen to their entity, in the order of their arrival.
template <class Kind>
class waiters {
public:
  using command_ptr = std::shared_ptr<request_to<Kind>>;
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr time_point end_of_time = time_point::max();

  /// When a request has waited long enough, counted from its arrival.
  static time_point ends(const request_to<Kind>& q) {
    if constexpr (can_wait<Kind>)
      return q.accepted() + Kind::wait_limit(q.command);
    else
      return q.accepted();
  }

  bool empty() const { return line_.empty(); }
  void add(command_ptr q) {
    soonest_ = std::min(soonest_, ends(*q));
    line_.push_back(std::move(q));
  }
  void clear() { line_.clear(); }
  std::vector<command_ptr> take_all() {
    std::vector<command_ptr> all{std::move_iterator{line_.begin()}, std::move_iterator{line_.end()}};
    line_.clear();
    return all;
  }

  /// The first that can be answered or whose caller is gone; else one whose time is over; else nothing.
  template <class Can, class Any>
  command_ptr next(Can&& can, Any&& any, time_point now) {
    if (any())
      for (auto it = line_.begin(); it != line_.end(); ++it)
        if (is_abandoned(*it) || can((*it)->command))
          return take(it);
    if (now < soonest_)
      return nullptr;
    const auto is_over = [&](const command_ptr& q) { return is_abandoned(q) || ends(*q) <= now; };
    const auto over = std::find_if(line_.begin(), line_.end(), is_over);
    if (over != line_.end())
      return take(over);
    soonest_ = end_of_time;
    for (const auto& q : line_)
      soonest_ = std::min(soonest_, ends(*q));
    return nullptr;
  }

  /// When somebody must look again; nothing while a look that is soon enough is under way.
  std::optional<time_point> next_look(time_point now, std::optional<instant> next_possible_at, instant at) {
    if (line_.empty())
      return std::nullopt;
    auto then = soonest_;
    if (next_possible_at)
      then = std::min(then, now + std::max(*next_possible_at - at, milliseconds{0}));
    if (look_ && *look_ <= then)
      return std::nullopt;
    look_ = then;
    return then;
  }
  /// The look that was set for `then` is there; one that an earlier one took the place of sets no further ones.
  void looked(time_point then) {
    if (look_ == then)
      look_.reset();
  }

private:
  static bool is_abandoned(const command_ptr& q) { return q->abandoned.load(std::memory_order_relaxed); }

  command_ptr take(typename std::list<command_ptr>::iterator it) {
    auto q = std::move(*it);
    line_.erase(it);
    return q;
  }

  std::list<command_ptr> line_;
  time_point soonest_ = end_of_time;  ///< nobody's time is over before
  std::optional<time_point> look_;    ///< somebody will look then
};

}  // namespace callboard::actors
