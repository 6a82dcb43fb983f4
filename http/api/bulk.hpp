#pragma once

#include "http/api/ask.hpp"
#include "http/api/bodies.hpp"
#include "http/api/results.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Calls over many entities of a kind: each command is a commit of its own, and the answer is kept under the request's
/// Idempotency-Key by one of the entities when the last of them has committed.
namespace callboard::http {

/// One command for one of the entities.
template <class Kind>
struct part {
  std::string key;
  typename Kind::command command;
};

/// Of very many, the last would wait beyond their deadline: callers send so many at a time.
inline constexpr std::size_t parts_at_once = 1'000;

/// Sends `make(0)` to `make(count - 1)`, all in flight together. `answered(i, result)` and `lost(i, refusal)` hear of
/// each in order.
template <class Kind, class Make, class Answered, class Lost>
task<void> for_each_part(request_context& x, std::size_t count, const Make& make, const Answered& answered,
                         const Lost& lost) {
  std::vector<std::shared_ptr<future<answer<Kind>>>> sent;
  sent.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    part<Kind> one = make(i);
    sent.push_back(send_part<Kind>(x, std::move(one.key), std::move(one.command)));
  }
  for (std::size_t i = 0; i < count; ++i)
    try {
      auto a = co_await received(std::move(sent[i]));
      answered(i, std::move(a.result));
    } catch (const refused& no) {
      lost(i, no.why);
    }
}

/// The answer of a bulk call, kept by `owner` if the request has a key. What it answered before under that key wins.
template <class Kind>
task<response> stored(request_context& x, std::string owner, typename Kind::command store, response r) {
  if (!idempotency_key(x))
    co_return r;
  auto a = co_await ask<Kind>(x, std::move(owner), std::move(store), asking::final_part);
  if (a.again)
    co_return replayed(std::move(*a.again));
  co_return r;
}

}  // namespace callboard::http
