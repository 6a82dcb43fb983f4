#include "http/transport/server.hpp"

#include "base/log.hpp"

#include <boost/asio/detail/socket_option.hpp>
#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <chrono>
#include <string>

namespace callboard::http {

namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using reuse_port = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr milliseconds look_period{5};
constexpr milliseconds cut_patience{50};

std::string text_of(const asio::ip::tcp::endpoint& e) {
  const auto address = e.address().to_string();
  return (e.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(e.port());
}

}  // namespace

server::server(server_state& state, service& app, std::span<const route> table)
    : state_{state}, server_context_{state, app, table} {
  for (int i = 0; i < std::max(1, state_.settings.http_threads); ++i)
    threads_.push_back(std::make_unique<io_thread>(server_context_));
  listen();
  for (const auto& t : threads_)
    t->start();
}

server::~server() {
  hurry();
  stop();
}

void server::listen() {
  asio::ip::tcp::endpoint at{asio::ip::make_address(state_.settings.http_address),
                             static_cast<std::uint16_t>(state_.settings.http_port)};
  const auto open = [&](tcp_acceptor& acceptor, bool shares) {
    acceptor.open(at.protocol());
    acceptor.set_option(tcp_acceptor::reuse_address{true});
    if (shares)
      acceptor.set_option(reuse_port{true});
    acceptor.bind(at);
    acceptor.listen();
  };
  auto& first = threads_[0]->acceptor();
  try {
    // If all sockets had SO_REUSEPORT, a second process could silently share the port. So the first
    // one listens without it, which reserves the port, and then sets it to admit the others.
    open(first, false);
  } catch (const boost::system::system_error& e) {
    if (e.code() == asio::error::address_in_use)
      throw address_in_use{"another process listens at " + text_of(at)};
    throw;
  }
  at.port(first.local_endpoint().port());
  port_ = at.port();
  if (threads_.size() > 1)
    first.set_option(reuse_port{true});
  for (std::size_t i = 1; i < threads_.size(); ++i)
    open(threads_[i]->acceptor(), true);
  log_line(log_level::info, "listening", {{"address", text_of(at)}, {"threads", threads_.size()}});
}

void server::stop() {
  if (is_stopped_)
    return;
  is_stopped_ = true;
  const auto began = std::chrono::steady_clock::now();
  state_.draining = true;
  state_.on_drain();
  for (const auto& t : threads_)
    t->drain();
  wait_until_empty(milliseconds{state_.settings.http_drain_timeout_ms});
  const auto cut = state_.metrics.connections();
  if (cut > 0) {
    for (const auto& t : threads_)
      t->abort();
    // Sessions that wait for their client end now; those that wait for an actor stay until the end.
    std::this_thread::sleep_for(cut_patience);
  }
  for (const auto& t : threads_)
    t->join();
  const auto took = std::chrono::steady_clock::now() - began;
  log_line(cut > 0 ? log_level::warn : log_level::info, "stopped listening",
           {{"ms", std::chrono::duration_cast<milliseconds>(took).count()}, {"connectionsCut", cut}});
}

void server::hurry() {
  {
    const std::scoped_lock lock{mutex_};
    hurries_ = true;
  }
  hurried_.notify_all();
}

void server::wait_until_empty(milliseconds at_most) {
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  std::unique_lock lock{mutex_};
  while (state_.metrics.connections() > 0 && std::chrono::steady_clock::now() < deadline)
    if (hurried_.wait_for(lock, look_period, [this] { return hurries_; }))
      return;
}

}  // namespace callboard::http
