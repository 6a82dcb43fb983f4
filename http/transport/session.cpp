#include "http/transport/session.hpp"

#include "base/log.hpp"
#include "http/transport/responses.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/core/demangle.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <typeinfo>

namespace callboard::http {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kept_bytes_max = 64 << 10;
constexpr std::size_t linger_bytes_max = 16 << 20;
constexpr int linger_ms = 2000;
constexpr int linger_draining_ms = 200;

auto into(error_code& ec) { return asio::redirect_error(asio::use_awaitable_t<executor>{}, ec); }

asio::ip::address address_of(const tcp_socket& socket) {
  error_code ec;
  const auto end = socket.remote_endpoint(ec);
  return ec ? asio::ip::address{} : end.address();
}

/// Watches a waiting client: an end of stream means that it has disconnected, bytes mean that it is still there.
bool is_gone(int socket) {
  char one = 0;
  const auto n = ::recv(socket, &one, 1, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/// Refusals for the same reason are logged once a second.
void log_unavailable(code what) {
  thread_local session::clock::time_point quiet_until;
  thread_local std::int64_t unmentioned = 0;
  const auto now = session::clock::now();
  if (now < quiet_until) {
    ++unmentioned;
    return;
  }
  log_line(log_level::warn, "request refused", {{"code", name(what)}, {"unmentioned", unmentioned}});
  quiet_until = now + std::chrono::seconds{1};
  unmentioned = 0;
}

}  // namespace

session::session(const server_context& e, asio::io_context& io, tcp_socket socket)
    : server_context_{e}, settings_{e.state.settings}, socket_{std::move(socket)}, peer_{address_of(socket_)},
      request_{e, io, peer_} {
  error_code ec;
  socket_.non_blocking(true, ec);
  socket_.set_option(asio::ip::tcp::no_delay{true}, ec);
}

task<void> session::run() {
  while (!closes_) {
    // A connection that ends between two requests needs no answer.
    if (co_await read_head() == read_outcome::gone)
      co_return;
    if (!no_)
      no_ = admit();
    // The body is read only for a request that was admitted.
    if (!no_ && body_is_unread_ && co_await read_body() == read_outcome::gone)
      co_return;
    if (!no_)
      no_ = request_.settle();
    response answer;
    try {
      if (!no_ && request_.to && request_.to->waits)
        watch_client();
      // The route resumes the session when its actor has answered; no socket timeout applies to this wait.
      if (!no_ && request_.to)
        answer = co_await request_.to->handle(request_.x);
    } catch (const refused& r) {
      no_ = r.why;
    } catch (const std::exception& e) {
      explain(&e);
    } catch (...) {
      explain(nullptr);
    }
    if (no_)
      answer = refusing();
    else if (!request_.to)
      answer = request_.options();
    format(answer);
    // Nearly every answer fits into the socket's buffer; else the client must read it before the write timeout.
    std::string_view rest = out_;
    if (!client_is_there() || !write_at_once(rest) || (!rest.empty() && !co_await write_rest(rest))) {
      if (answer.undelivered)
        answer.undelivered();
      co_return;
    }
    // A body that breaks off must not look complete: the connection ends without its last chunk.
    if (answer.stream && !request_.is_head && !co_await write_stream(*answer.stream))
      co_return;
    finish(answer);
  }
  // Closing with unread bytes would reset the connection, and the client might lose the answer.
  co_await linger();
}

void session::watch_client() {
  auto client = std::make_shared<presence>();
  request_.x.client = client;
  // The handler may outlive the session, so it owns what it needs; a presence without other owners is ignored.
  const auto look = [watched = std::weak_ptr{client}, socket = socket_.native_handle()](error_code ec) {
    const auto one = watched.lock();
    if (ec || !one || !is_gone(socket))
      return;
    one->is_gone = true;
    if (one->when_gone)
      one->when_gone();
  };
  socket_.async_wait(tcp_socket::wait_read, look);
}

bool session::client_is_there() {
  if (!request_.x.client)
    return true;
  error_code ec;
  socket_.cancel(ec);  // the watch
  const auto client = std::exchange(request_.x.client, nullptr);
  return !client->is_gone && !is_gone(socket_.native_handle());
}

task<void> session::dismiss() {
  request_.without_head(clock::now());
  no_ = refusal{code::overloaded, "too many connections are open", {}};
  cuts_off_ = true;
  format(refusing());
  std::string_view rest = out_;
  if (write_at_once(rest))
    // Discard what the client sends meanwhile, so that it can read its 503.
    co_await linger();
}

task<bool> session::write_stream(stream_source& from) {
  for (std::optional<std::string> part{std::in_place}; part;) {
    try {
      // The source resumes us when it has more to say.
      part = co_await from.next();
    } catch (const std::exception& e) {
      explain(&e);
      co_return false;
    } catch (...) {
      explain(nullptr);
      co_return false;
    }
    out_.clear();
    if (request_.head.is_http_1_0)
      out_ = part.value_or("");
    else if (!part || !part->empty())
      append_chunk(out_, part.value_or(""));
    // A client that takes nothing for the write time-out is gone.
    std::string_view rest = out_;
    if (!write_at_once(rest) || (!rest.empty() && !co_await write_rest(rest)))
      co_return false;
  }
  co_return true;
}

task<bool> session::write_rest(std::string_view rest) {
  const auto due = due_;
  arm(settings_.http_write_timeout_ms);
  while (!rest.empty()) {
    error_code ec;
    // The client may read slowly, within a total time.
    const auto n = co_await socket_.async_write_some(asio::buffer(rest), into(ec));
    if (ec || is_late_)
      co_return false;
    rest.remove_prefix(n);
  }
  due_ = due;
  co_return true;
}

task<void> session::linger() {
  error_code ec;
  socket_.shutdown(tcp_socket::shutdown_send, ec);
  if (ec || !cuts_off_)
    co_return;
  is_late_ = false;
  arm(server_context_.state.draining ? linger_draining_ms : linger_ms);
  char thrown[4096];
  for (std::size_t bytes = 0; bytes < linger_bytes_max && !is_late_;) {
    bytes += co_await socket_.async_read_some(asio::buffer(thrown), into(ec));
    if (ec)
      break;
  }
}

std::optional<refusal> session::admit() {
  auto why = request_.admit();
  // A refused body that has already been read is skipped, and the connection stays open.
  const auto size = request_.head.content_length;
  if (why && body_is_unread_ && !request_.head.is_chunked && size <= behind_head().size()) {
    body_size_ = static_cast<std::size_t>(size);
    body_is_unread_ = false;
  }
  return why;
}

void session::explain(const std::exception* what) {
  const auto& id = request_.x.request_id;
  log_line(log_level::error, "request failed",
           {{"type", what ? boost::core::demangle(typeid(*what).name()) : "unknown"},
            {"route", request_.to->pattern},
            {"requestId", id}});
  // Logged on debug level only, because the text may contain personal data.
  if (what)
    log_line(log_level::debug, "request failed", {{"what", what->what()}, {"requestId", id}});
  no_ = refusal{code::internal, "the server made a mistake", {}};
}

response session::refusing() const {
  auto answer = to_response(*no_, request_.x.request_id, request_.wants_problem_json);
  if (no_->what == code::method_not_allowed)
    answer.headers.emplace_back("Allow", request_.allow);
  return answer;
}

void session::format(const response& answer) {
  const bool is_draining = server_context_.state.draining.load(std::memory_order_relaxed);
  cuts_off_ = cuts_off_ || body_is_unread_ || (is_draining && request_.head.keep_alive);
  closes_ = closes_ || cuts_off_ || (answer.stream && request_.head.is_http_1_0);
  out_.clear();
  append_answer(out_, answer,
                {.request_id = request_.x.request_id,
                 .shared_with = request_.shared_with,
                 .head_only = request_.is_head,
                 .closes = closes_,
                 .is_chunked = !request_.head.is_http_1_0,
                 .tells_keep_alive = request_.head.is_http_1_0});
}

bool session::write_at_once(std::string_view& bytes) {
  error_code ec;
  bytes.remove_prefix(socket_.write_some(asio::buffer(bytes), ec));
  return !ec || ec == asio::error::would_block;
}

void session::finish(const response& answer) {
  const auto now = clock::now();
  server_context_.state.metrics.answered(answer.status, now - request_.began, now);
  if (answer.status == 503 && no_)
    log_unavailable(no_->what);
  if (logs(log_level::debug))
    log_line(log_level::debug, "request",
             {{"method", request_.x.method},
              {"route", request_.to ? request_.to->pattern : ""},
              {"status", answer.status},
              {"ms", std::chrono::duration<double, std::milli>(now - request_.began).count()},
              {"requestId", request_.x.request_id}});
  request_.release();
  if (out_.capacity() > kept_bytes_max)
    out_ = std::string{};
  begin_ += head_size_ + body_size_;
  head_size_ = body_size_ = 0;
  if (begin_ == end_)
    begin_ = end_ = 0;
  if (!overrun_.empty()) {
    storage_.assign(overrun_.begin(), overrun_.end());
    begin_ = 0;
    end_ = storage_.size();
    overrun_.clear();
  }
}

void session::expire(clock::time_point now) {
  if (now < due_)
    return;
  is_late_ = true;
  disarm();
  error_code ec;
  socket_.cancel(ec);
}

void session::hurry_if_idle(clock::duration grace) {
  if (is_idle_)
    due_ = std::min(due_, clock::now() + grace);
}

void session::abort() {
  error_code ec;
  socket_.close(ec);
}

}  // namespace callboard::http
