#pragma once

#include "http/transport/request_context.hpp"

#include <boost/asio/any_completion_handler.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace callboard::http {

/// Something a coroutine waits for. Its value is set before it is delivered; the rest is used by the io thread only.
struct completion {
  virtual ~completion() = default;
  bool is_here = false;
  boost::asio::any_completion_handler<void()> waiter;
};

/// Takes answers from other threads to the coroutines of one io_context. Answers that arrive together share one post,
/// because each post may wake the io thread.
class completion_queue : public std::enable_shared_from_this<completion_queue> {
public:
  static std::shared_ptr<completion_queue> of(boost::asio::io_context& io);

  explicit completion_queue(boost::asio::io_context& io) : io_{&io} {}
  void deliver(std::shared_ptr<completion> a);
  /// The io_context is being destroyed: coroutines whose answers are queued end, later answers are dropped.
  void close();

private:
  void drain();

  std::mutex mutex_;
  boost::asio::io_context* io_;
  std::vector<std::shared_ptr<completion>> waiting_;
  bool posted_ = false;
};

/// A value that another thread will set, or the refusal instead of it.
template <class T>
struct future : completion {
  std::variant<std::monostate, T, refusal> content;
};

refusal not_applied();

/// The sending side of a future. Destroying it unanswered answers with a refusal.
template <class T>
class promise {
public:
  explicit promise(boost::asio::io_context& io)
      : future_{std::make_shared<future<T>>()}, to_{completion_queue::of(io)} {}
  promise(promise&&) noexcept = default;
  promise& operator=(promise&&) = delete;
  ~promise() {
    if (future_)
      put(not_applied());
  }

  std::shared_ptr<future<T>> get_future() const { return future_; }

  void send(T what) { put(std::move(what)); }
  void refuse(refusal why) { put(std::move(why)); }

private:
  template <class Content>
  void put(Content&& c) {
    if (!future_)
      return;
    future_->content = std::forward<Content>(c);
    to_->deliver(std::exchange(future_, nullptr));
  }

  std::shared_ptr<future<T>> future_;
  std::shared_ptr<completion_queue> to_;
};

/// Waits on the io thread until the value is set.
task<void> arrived(std::shared_ptr<completion> a);

/// Waits and returns the value; throws when it is a refusal.
template <class T>
task<T> received(std::shared_ptr<future<T>> from) {
  std::shared_ptr<completion> awaited = from;
  co_await arrived(std::move(awaited));
  if (auto* why = std::get_if<refusal>(&from->content))
    throw refused{std::move(*why)};
  co_return std::move(std::get<T>(from->content));
}

}  // namespace callboard::http
