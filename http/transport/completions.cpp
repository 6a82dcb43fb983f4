#include "http/transport/completions.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace callboard::http {
namespace {

/// Closes the completion queue when its io_context is destroyed; others may still hold the queue.
class mailbox_service : public boost::asio::execution_context::service {
public:
  using key_type = mailbox_service;
  static boost::asio::execution_context::id id;

  explicit mailbox_service(boost::asio::execution_context& owner)
      : service{owner}, box{std::make_shared<completion_queue>(static_cast<boost::asio::io_context&>(owner))} {}
  void shutdown() override { box->close(); }

  const std::shared_ptr<completion_queue> box;
};

boost::asio::execution_context::id mailbox_service::id;

}  // namespace

std::shared_ptr<completion_queue> completion_queue::of(boost::asio::io_context& io) {
  return boost::asio::use_service<mailbox_service>(static_cast<boost::asio::execution_context&>(io)).box;
}

void completion_queue::deliver(std::shared_ptr<completion> a) {
  const std::lock_guard lock{mutex_};
  if (!io_)
    return;
  waiting_.push_back(std::move(a));
  if (posted_)
    return;
  posted_ = true;
  boost::asio::post(*io_, [self = shared_from_this()] { self->drain(); });
}

void completion_queue::close() {
  std::vector<std::shared_ptr<completion>> dropped;
  {
    const std::lock_guard lock{mutex_};
    io_ = nullptr;
    dropped.swap(waiting_);
  }
  // A coroutine owns what it waits for, which owns the coroutine: destroying the waiter breaks the cycle.
  for (auto& a : dropped)
    std::exchange(a->waiter, nullptr);
}

void completion_queue::drain() {
  std::vector<std::shared_ptr<completion>> arrived_now;
  {
    const std::lock_guard lock{mutex_};
    arrived_now.swap(waiting_);
    posted_ = false;
  }
  for (auto& a : arrived_now) {
    a->is_here = true;
    if (a->waiter)
      std::exchange(a->waiter, nullptr)();
    a.reset();
  }
}

refusal not_applied() { return {code::not_applied, "Nothing was written; try again", {}}; }

task<void> arrived(std::shared_ptr<completion> a) {
  if (a->is_here)
    co_return;
  boost::asio::use_awaitable_t<executor> token;
  // Without captures, because g++ 12 destroys a capturing lambda inside a co_await expression twice.
  co_await boost::asio::async_initiate<boost::asio::use_awaitable_t<executor>, void()>(
      [](auto handler, completion* waited_for) {
        // Swap instead of assign: the move assignment in Boost 1.81 recurses without end.
        boost::asio::any_completion_handler<void()> waiter{std::move(handler)};
        waiter.swap(waited_for->waiter);
      },
      token, a.get());
}

}  // namespace callboard::http
