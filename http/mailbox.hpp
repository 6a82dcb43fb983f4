#pragma once

#include "http/exchange.hpp"

#include <boost/asio/any_completion_handler.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace callboard::http {

/// Something a coroutine waits for. What it holds is set before it is delivered; the rest belongs to the io thread.
struct arrival {
  virtual ~arrival() = default;
  bool is_here = false;
  boost::asio::any_completion_handler<void()> waiter;
};

/// Where other threads put answers for the coroutines of one io_context. However many come in a row, they cost one post.
class mailbox : public std::enable_shared_from_this<mailbox> {
public:
  static std::shared_ptr<mailbox> of(boost::asio::io_context& io);

  explicit mailbox(boost::asio::io_context& io) : io_{&io} {}
  void deliver(std::shared_ptr<arrival> a);
  /// The io_context is going: coroutines whose answers are here end, what still comes is dropped.
  void close();

private:
  void drain();

  std::mutex mutex_;
  boost::asio::io_context* io_;
  std::vector<std::shared_ptr<arrival>> waiting_;
  bool posted_ = false;
};

/// What somebody else will know, or why not.
template <class T>
struct reply : arrival {
  std::variant<std::monostate, T, refusal> content;
};

refusal not_applied();

/// The answering end of a reply. Letting go of it unanswered is an answer too.
template <class T>
class reply_sender {
public:
  explicit reply_sender(boost::asio::io_context& io) : reply_{std::make_shared<reply<T>>()}, to_{mailbox::of(io)} {}
  reply_sender(reply_sender&&) noexcept = default;
  reply_sender& operator=(reply_sender&&) = delete;
  ~reply_sender() {
    if (reply_)
      put(not_applied());
  }

  std::shared_ptr<reply<T>> other_end() const { return reply_; }

  void send(T what) { put(std::move(what)); }
  void refuse(refusal why) { put(std::move(why)); }

private:
  template <class Content>
  void put(Content&& c) {
    if (!reply_)
      return;
    reply_->content = std::forward<Content>(c);
    to_->deliver(std::exchange(reply_, nullptr));
  }

  std::shared_ptr<reply<T>> reply_;
  std::shared_ptr<mailbox> to_;
};

/// Waits on the io thread until it is here.
task<void> arrived(std::shared_ptr<arrival> a);

/// The same, with what it holds; a refusal is thrown.
template <class T>
task<T> received(std::shared_ptr<reply<T>> from) {
  std::shared_ptr<arrival> awaited = from;
  co_await arrived(std::move(awaited));
  if (auto* why = std::get_if<refusal>(&from->content))
    throw refused{std::move(*why)};
  co_return std::move(std::get<T>(from->content));
}

} // namespace callboard::http
