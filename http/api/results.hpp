#pragma once

#include "actors/request.hpp"
#include "base/json_write.hpp"
#include "http/api/ask.hpp"
#include "http/transport/request_context.hpp"

#include <string>
#include <utility>

/// What a write that went well is answered with.
namespace callboard::http {

constexpr int status_of(success how) { return how == success::created ? 201 : how == success::accepted ? 202 : 200; }

inline response replayed(actors::replay again) {
  return {status_of(again.how), std::move(again.body), {{"Idempotency-Replayed", "true"}}};
}

/// The result as JSON with the status of its command, or the earlier answer.
template <class Result, class Kind>
response written(answer<Kind> a, success how) {
  if (a.again)
    return replayed(std::move(*a.again));
  return {status_of(how), to_json(std::get<Result>(a.result))};
}

/// The same for a result that says itself how it went.
template <class Result, class Kind>
response written(answer<Kind> a) {
  if (a.again)
    return replayed(std::move(*a.again));
  const auto& result = std::get<Result>(a.result);
  return {status_of(result.how()), to_json(result)};
}

}  // namespace callboard::http
