#pragma once

#include "base/json_write.hpp"
#include "base/log.hpp"
#include "http/transport/server.hpp"
#include "raw_client.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fcntl.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace callboard::http {

/// How often routes were reached, for requests that must not get there.
inline std::atomic<int> markers{0};
inline std::atomic<int> echoes{0};

namespace stage_routes {

inline task<response> ok(request_context&) { co_return response{200, R"({"ok":true})"}; }

inline task<response> marker(request_context&) {
  ++markers;
  co_return response{200, R"({"marker":true})"};
}

inline task<response> echo(request_context& x) {
  ++echoes;
  co_return response{200, x.body};
}

inline task<response> length(request_context& x) { co_return response{200, std::to_string(x.body.size())}; }

inline task<response> item(request_context& x) {
  std::string out = "{\"parameters\":";
  write_json(out, x.parameters);
  out += ",\"query\":[";
  for (const auto& [name, value] : x.query)
    out += to_json(name) + "," + to_json(value) + ",";
  co_return response{200, out + "null]}"};
}

inline task<response> special(request_context&) { co_return response{200, R"("special")"}; }

inline task<response> origin_of(request_context& x) {
  co_return response{200, x.by->actor_type + "|" + x.by->trace + "|" + x.by->request};
}

inline task<response> refusing(request_context&) {
  throw refused{{code::conflict, "taken", {{"name", "is taken"}}}};
  co_return response{};
}

inline task<response> overloaded(request_context&) {
  throw refused{{code::not_applied, "later", {}}};
  co_return response{};
}

inline task<response> throwing(request_context&) {
  throw std::runtime_error{"secret of the database"};
  co_return response{};
}

inline task<response> slow(request_context& x) {
  boost::asio::basic_waitable_timer<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>,
                                    executor>
      pause{x.io};
  pause.expires_after(std::chrono::milliseconds{300});
  // Like an actor that takes its time.
  co_await pause.async_wait(boost::asio::use_awaitable_t<executor>{});
  co_return response{200, R"({"slow":true})"};
}

inline task<response> never(request_context& x) {
  boost::asio::basic_waitable_timer<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>,
                                    executor>
      pause{x.io};
  pause.expires_after(std::chrono::hours{1});
  // Like an actor that lost its promise.
  co_await pause.async_wait(boost::asio::use_awaitable_t<executor>{});
  co_return response{};
}

inline task<response> from_elsewhere(request_context& x) {
  auto start = [](auto done, boost::asio::io_context* io) {
    auto kept = std::make_shared<decltype(done)>(std::move(done));
    std::thread{[kept, io] { boost::asio::post(*io, [kept] { std::move (*kept)(41); }); }}.detach();
  };
  // Resumed by a post of another thread, as actors do it.
  const int n = co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<executor>, void(int)>(
      start, boost::asio::use_awaitable_t<executor>{}, &x.io);
  co_return response{200, std::to_string(n + 1)};
}

inline task<response> large(request_context&) { co_return response{200, std::string(std::size_t{8} << 20, '7')}; }

inline task<response> dressed(request_context&) {
  co_return response{
      200, "plain", {{"Content-Type", "text/plain"}, {"Cache-Control", "max-age=60"}, {"X-Split", "a\r\nX-Evil: b"}}};
}

inline task<response> nothing(request_context&) { co_return response{204, {}}; }

inline constexpr route table[] = {
    {"GET", "/", ok},
    {"GET", "/ok", ok},
    {"GET", "/marker", marker},
    {"POST", "/marker", marker},
    {"POST", "/echo", echo},
    {"PUT", "/echo", echo},
    {"POST", "/length", length},
    {"POST", "/bulk", length, true},
    {"GET", "/items/:id", item},
    {"DELETE", "/items/:id", item},
    {"GET", "/items/special", special},
    {"GET", "/items/:id/parts/:part", item},
    {"GET", "/origin", origin_of},
    {"GET", "/refusing", refusing},
    {"GET", "/overloaded", overloaded},
    {"GET", "/throwing", throwing},
    {"GET", "/slow", slow},
    {"GET", "/never", never},
    {"GET", "/elsewhere", from_elsewhere},
    {"GET", "/large", large},
    {"GET", "/dressed", dressed},
    {"DELETE", "/nothing", nothing},
    {"GET", "/stream", ok, false, false, "text/event-stream"},
};

}  // namespace stage_routes

/// A server on a free port with routes of its own, which ask nobody.
class test_routes {
public:
  explicit test_routes(void (*change)(config::settings&) = [](config::settings&) {}) {
    log_to(nowhere());
    settings.http_port = 0;
    change(settings);
    app.emplace(settings, node);
    serves.emplace(*app, stage_routes::table);
  }
  ~test_routes() {
    serves.reset();
    log_to(STDERR_FILENO);
  }

  raw_client connect() const { return raw_client{serves->port()}; }
  /// One request on a connection of its own.
  raw_answer ask(const std::string& bytes) const { return connect().ask(bytes); }

  config::settings settings;
  actors::node node{{}, persistence::make_store("sqlite::memory:")};
  std::optional<service> app;
  std::optional<server> serves;

private:
  static int nowhere() {
    static const int descriptor = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    return descriptor;
  }
};

/// The client has its answer before the server has counted it.
template <class Condition>
bool eventually(Condition&& holds) {
  for (int i = 0; i < 1000; ++i) {
    if (holds())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return false;
}

/// A request with a local Host.
inline std::string request(const std::string& method_and_target, const std::string& fields = "",
                           const std::string& body = "") {
  const auto length = body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return method_and_target + " HTTP/1.1\r\nHost: localhost\r\n" + fields + length + "\r\n" + body;
}
inline std::string get(const std::string& target, const std::string& fields = "") {
  return request("GET " + target, fields);
}
inline std::string post(const std::string& target, const std::string& body,
                        const std::string& fields = "Content-Type: application/json\r\n") {
  return request("POST " + target, fields, body);
}
inline std::string post_chunked(const std::string& target, const std::string& chunks) {
  return request("POST " + target, "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n") + chunks;
}

}  // namespace callboard::http
