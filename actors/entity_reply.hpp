#pragma once

#include "actors/request.hpp"
#include "persistence/append.hpp"

#include <atomic>
#include <memory>
#include <utility>
#include <variant>

namespace callboard::actors {

/// An answer of this kind that waits for its commit.
template <class Kind>
class entity_reply final : public persistence::pending_reply {
public:
  using outcome = std::variant<typename Kind::result, refusal, replay>;

  /// `callers_notified` becomes true when the caller was answered, whatever the answer was.
  entity_reply(std::shared_ptr<request_to<Kind>> r, outcome o, std::int64_t version,
               std::shared_ptr<std::atomic<bool>> callers_notified = nullptr)
      : request_{std::move(r)}, outcome_{std::move(o)}, version_{version}, callers_notified_{
                                                                               std::move(callers_notified)} {}

  void release() override {
    notify();
    if (auto* result = std::get_if<typename Kind::result>(&outcome_))
      request_->answer(std::move(*result), version_);
    else if (auto* no = std::get_if<refusal>(&outcome_))
      request_->refuse(std::move(*no));
    else
      request_->answer_again(std::move(std::get<replay>(outcome_)));
    request_.reset();
  }
  void fail(code why) override {
    notify();
    request_->fail(why);
  }
  bool is_write() const override {
    return request_->is_write && std::holds_alternative<typename Kind::result>(outcome_);
  }
  void undone(bool lost_name) override { request_->lost_name |= lost_name; }
  void again() override { request_->fail(code::not_applied); }
  std::shared_ptr<request_to<Kind>> take_request() { return std::move(request_); }

private:
  void notify() {
    if (callers_notified_)
      callers_notified_->store(true, std::memory_order_release);
  }

  std::shared_ptr<request_to<Kind>> request_;
  outcome outcome_;
  std::int64_t version_;
  std::shared_ptr<std::atomic<bool>> callers_notified_;
};

}  // namespace callboard::actors
