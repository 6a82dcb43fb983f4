#include "http/transport/chunked_body.hpp"
#include "http/transport/session.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstring>

// Reads a request: its head, then its body by length or by chunks.

namespace callboard::http {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t storage_bytes = 4 << 10;
constexpr std::size_t piece_bytes = 64 << 10;
constexpr std::size_t raw_piece_bytes = 16 << 10;
constexpr int bulk_patience = 3;
constexpr int idle_draining_ms = 200;
constexpr std::string_view go_ahead = "HTTP/1.1 100 Continue\r\n\r\n";

auto into(error_code& ec) { return asio::redirect_error(asio::use_awaitable_t<executor>{}, ec); }

}  // namespace

task<session::read_outcome> session::read_head() {
  scanner_ = {};
  no_.reset();
  is_late_ = false;
  is_idle_ = buffered().empty();
  auto seen = scanner_.look(buffered());
  if (seen == head_scanner::found::incomplete)
    arm(!is_idle_                        ? settings_.http_head_timeout_ms
        : server_context_.state.draining ? idle_draining_ms
                                         : settings_.http_idle_timeout_ms);
  while (seen == head_scanner::found::incomplete) {
    error_code ec;
    // Read more of the head; until its first byte the idle timeout applies.
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
  co_return no_ ? read_outcome::refused : read_outcome::complete;
}

task<session::read_outcome> session::read_body() {
  if (request_.head.is_chunked)
    co_return co_await read_chunks();
  auto& body = request_.x.body;
  const auto size = static_cast<std::size_t>(request_.head.content_length);
  body_size_ = std::min(size, behind_head().size());
  body.assign(behind_head().substr(0, body_size_));
  if (body.size() < size) {
    arm(settings_.http_body_timeout_ms * (request_.to->is_bulk ? bulk_patience : 1));
    // The client may wait for 100 Continue before it sends its body.
    if (request_.head.awaits_continue && body.empty() && !co_await write_rest(go_ahead))
      co_return read_outcome::gone;
  }
  for (auto got = body.size(); got < size;) {
    body.resize(std::min(size, got + piece_bytes));
    error_code ec;
    // Read no byte beyond the body: those of the next request stay in the socket.
    const auto n = co_await socket_.async_read_some(asio::buffer(body) + got, into(ec));
    if (ec || is_late_)
      co_return late_or_gone();
    got += n;
    body.resize(got);
  }
  disarm();
  body_is_unread_ = false;
  co_return read_outcome::complete;
}

task<session::read_outcome> session::read_chunks() {
  chunked_body chunks{request_.body_bytes_max};
  const auto bytes_max = std::int64_t{settings_.http_bodies_max_mib} << 20;
  body_size_ = behind_head().size();
  std::string raw{behind_head()};
  std::size_t counted = 0;
  arm(settings_.http_body_timeout_ms * (request_.to->is_bulk ? bulk_patience : 1));
  if (request_.head.awaits_continue && raw.empty() && !co_await write_rest(go_ahead))
    co_return read_outcome::gone;
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
    raw.resize(got + raw_piece_bytes);
    error_code ec;
    // The length of chunks is not known in advance, so this may read into the next request.
    const auto n = co_await socket_.async_read_some(asio::buffer(raw) + got, into(ec));
    if (ec || is_late_)
      co_return late_or_gone();
    raw.resize(got + n);
  }
  disarm();
  overrun_ = std::move(raw);
  request_.x.body = chunks.release();
  body_is_unread_ = false;
  co_return read_outcome::complete;
}

session::read_outcome session::refuse(code what, std::string message) {
  if (!body_is_unread_)
    request_.without_head(clock::now());
  no_ = refusal{what, std::move(message), {}};
  cuts_off_ = closes_ = true;
  disarm();
  return read_outcome::refused;
}

session::read_outcome session::late_or_gone() {
  if (!is_late_ || is_idle_)
    return read_outcome::gone;
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

}  // namespace callboard::http
