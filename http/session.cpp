#include "http/session.hpp"

#include "http/answers.hpp"
#include "http/chunked_body.hpp"
#include "messages/log.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/core/demangle.hpp>

#include <algorithm>
#include <cstring>
#include <typeinfo>

namespace callboard::http {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t storage_bytes = 4 << 10;
constexpr std::size_t piece_bytes = 64 << 10;
constexpr std::size_t linger_bytes_max = 16 << 20;
constexpr int linger_ms = 2000;
constexpr int linger_draining_ms = 200;
constexpr int bulk_patience = 3;
constexpr std::string_view go_ahead = "HTTP/1.1 100 Continue\r\n\r\n";

auto into(error_code& ec) { return asio::redirect_error(asio::use_awaitable_t<executor>{}, ec); }

asio::ip::address address_of(const tcp_socket& socket) {
  error_code ec;
  const auto end = socket.remote_endpoint(ec);
  return ec ? asio::ip::address{} : end.address();
}

/// Many refusals for one reason are one line a second.
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

} // namespace

session::session(const entrance& e, asio::io_context& io, tcp_socket socket)
    : entrance_{e}, settings_{e.app.settings}, socket_{std::move(socket)},
      peer_{address_of(socket_)}, request_{e, io, peer_} {
  error_code ec;
  socket_.non_blocking(true, ec);
  socket_.set_option(asio::ip::tcp::no_delay{true}, ec);
}

task<void> session::run() {
  while (!closes_) {
    // A connection that ends between two requests has said all it wanted.
    if (co_await read_head() == arrival::gone)
      co_return;
    if (!no_)
      no_ = admit();
    // Only a request that passed may make us read its body.
    if (!no_ && body_is_unread_ && co_await read_body() == arrival::gone)
      co_return;
    if (!no_)
      no_ = request_.settle();
    response answer;
    try {
      // The route resumes us when its actor has answered; no clock at the socket ends that wait.
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
    // Nearly every answer fits into the socket's buffer; else the client has to make room in time.
    std::string_view rest = out_;
    if (!write_at_once(rest) || (!rest.empty() && !co_await write_rest(rest)))
      co_return;
    finish(answer);
  }
  // Closing with bytes unread would reset the connection, and the client might never see the answer.
  co_await linger();
}

task<void> session::dismiss() {
  request_.without_head(clock::now());
  no_ = refusal{code::overloaded, "too many connections are open", {}};
  cuts_off_ = true;
  format(refusing());
  std::string_view rest = out_;
  if (write_at_once(rest))
    // Whatever the client sends meanwhile is thrown away, so that it can read its 503.
    co_await linger();
}

task<session::arrival> session::read_head() {
  scanner_ = {};
  no_.reset();
  is_late_ = false;
  is_idle_ = buffered().empty();
  auto seen = scanner_.look(buffered());
  if (seen == head_scanner::found::incomplete)
    arm(is_idle_ ? settings_.http_idle_timeout_ms : settings_.http_head_timeout_ms);
  while (seen == head_scanner::found::incomplete) {
    error_code ec;
    // More of the head; while there is none of it, the idle timeout runs.
    const auto n = co_await socket_.async_read_some(room(), into(ec));
    if (ec || is_late_)
      co_return late_or_gone();
    end_ += n;
    seen = scanner_.look(buffered());
    if (is_idle_ && seen == head_scanner::found::incomplete)
      arm(settings_.http_head_timeout_ms);
    is_idle_ = false;
  }
  disarm();
  if (seen == head_scanner::found::faulty)
    co_return refuse(scanner_.fault().what, std::string{scanner_.fault().reason});
  head_size_ = scanner_.size();
  no_ = request_.read_head(buffered().substr(0, head_size_), clock::now());
  body_is_unread_ = !no_ && request_.head.has_body();
  cuts_off_ = no_.has_value();
  closes_ = no_ || !request_.head.keep_alive;
  co_return no_ ? arrival::refused : arrival::whole;
}

task<session::arrival> session::read_body() {
  if (request_.head.is_chunked)
    co_return co_await read_chunks();
  auto& body = request_.x.body;
  const auto size = static_cast<std::size_t>(request_.head.content_length);
  body_size_ = std::min(size, behind_head().size());
  body.assign(behind_head().substr(0, body_size_));
  if (body.size() < size) {
    arm(settings_.http_body_timeout_ms * (request_.to->is_bulk ? bulk_patience : 1));
    // The client may be waiting for a word before it sends its body.
    if (request_.head.awaits_continue && body.empty() && !co_await write_rest(go_ahead))
      co_return arrival::gone;
  }
  for (auto got = body.size(); got < size;) {
    body.resize(std::min(size, got + piece_bytes));
    error_code ec;
    // No byte beyond the body: those of the next request stay in the socket.
    const auto n = co_await socket_.async_read_some(asio::buffer(body) + got, into(ec));
    if (ec || is_late_)
      co_return late_or_gone();
    got += n;
    body.resize(got);
  }
  disarm();
  body_is_unread_ = false;
  co_return arrival::whole;
}

task<session::arrival> session::read_chunks() {
  chunked_body chunks{request_.body_bytes_max};
  const auto bytes_max = std::int64_t{settings_.http_bodies_max_mib} << 20;
  body_size_ = behind_head().size();
  std::string raw{behind_head()};
  std::size_t counted = 0;
  arm(settings_.http_body_timeout_ms * (request_.to->is_bulk ? bulk_patience : 1));
  if (request_.head.awaits_continue && raw.empty() && !co_await write_rest(go_ahead))
    co_return arrival::gone;
  for (;;) {
    std::string_view rest = raw;
    const auto state = chunks.take(rest);
    raw.erase(0, raw.size() - rest.size());
    if (state == chunked_body::state::too_large)
      co_return refuse(code::payload_too_large,
                       "the body may have " + std::to_string(request_.body_bytes_max) + " bytes");
    if (state == chunked_body::state::malformed)
      co_return refuse(code::validation_error, "malformed chunk, chunk extension or trailer");
    if (!request_.permit.grow(static_cast<std::int64_t>(chunks.size() - counted), bytes_max))
      co_return refuse(code::overloaded, "too many bodies are in flight");
    counted = chunks.size();
    if (state == chunked_body::state::complete)
      break;
    const auto got = raw.size();
    raw.resize(got + piece_bytes / 4);
    error_code ec;
    // Chunks tell their length only as they come, so this may read into the next request.
    const auto n = co_await socket_.async_read_some(asio::buffer(raw) + got, into(ec));
    if (ec || is_late_)
      co_return late_or_gone();
    raw.resize(got + n);
  }
  disarm();
  overrun_ = std::move(raw);
  request_.x.body = chunks.release();
  body_is_unread_ = false;
  co_return arrival::whole;
}

task<bool> session::write_rest(std::string_view rest) {
  const auto due = due_;
  arm(settings_.http_write_timeout_ms);
  while (!rest.empty()) {
    error_code ec;
    // The client reads at its own pace, within a total.
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
  arm(entrance_.app.draining ? linger_draining_ms : linger_ms);
  storage_.resize(std::max(storage_.size(), storage_bytes));
  for (std::size_t thrown_away = 0; thrown_away < linger_bytes_max && !is_late_;) {
    thrown_away += co_await socket_.async_read_some(asio::buffer(storage_), into(ec));
    if (ec)
      break;
  }
}

std::optional<refusal> session::admit() {
  auto why = request_.admit();
  // A refused body that is here already costs nothing to step over, and the connection lives on.
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
  // The text may quote what people wrote; who turns on debugging knows that.
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
  const bool is_draining = entrance_.app.draining.load(std::memory_order_relaxed);
  cuts_off_ = cuts_off_ || body_is_unread_ || (is_draining && request_.head.keep_alive);
  closes_ = closes_ || cuts_off_;
  out_.clear();
  append_answer(out_, answer,
                {.request_id = request_.x.request_id,
                 .shared_with = request_.shared_with,
                 .head_only = request_.is_head,
                 .closes = closes_,
                 .tells_keep_alive = request_.head.is_http_1_0});
}

bool session::write_at_once(std::string_view& bytes) {
  error_code ec;
  bytes.remove_prefix(socket_.write_some(asio::buffer(bytes), ec));
  return !ec || ec == asio::error::would_block;
}

void session::finish(const response& answer) {
  const auto now = clock::now();
  entrance_.app.figures.answered(answer.status, now - request_.began, now);
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
  if (out_.capacity() > piece_bytes)
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

session::arrival session::refuse(code what, std::string message) {
  if (!body_is_unread_)
    request_.without_head(clock::now());
  no_ = refusal{what, std::move(message), {}};
  cuts_off_ = closes_ = true;
  disarm();
  return arrival::refused;
}

session::arrival session::late_or_gone() {
  if (!is_late_ || is_idle_)
    return arrival::gone;
  return refuse(code::timeout, "the request did not arrive in time");
}

asio::mutable_buffer session::room() {
  if (begin_ > 0) {
    std::memmove(storage_.data(), storage_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == storage_.size())
    storage_.resize(std::max(storage_bytes, 2 * storage_.size()));
  return asio::buffer(storage_) + end_;
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

} // namespace callboard::http
