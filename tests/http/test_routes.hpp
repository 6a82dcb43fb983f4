#pragma once

#include "base/json_write.hpp"
#include "base/log.hpp"
#include "http/api/service.hpp"
#include "http/transport/route.hpp"
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

/// How often routes were reached, to check that refused requests were not.
inline std::atomic<int> markers{0};
inline std::atomic<int> echoes{0};

namespace test_rows {

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
  // Like a slow actor.
  co_await pause.async_wait(boost::asio::use_awaitable_t<executor>{});
  co_return response{200, R"({"slow":true})"};
}

inline task<response> never(request_context& x) {
  boost::asio::basic_waitable_timer<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>,
                                    executor>
      pause{x.io};
  pause.expires_after(std::chrono::hours{1});
  // Like an actor that never answers.
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

/// Says "one", "two" and "three"; the second only after a while.
class counting_stream final : public stream_source {
public:
  explicit counting_stream(boost::asio::io_context& io, bool breaks) : io_{io}, breaks_{breaks} {}
  task<std::optional<std::string>> next() override {
    static constexpr const char* parts[] = {"one", "two", "three"};
    if (at_ == 1) {
      boost::asio::basic_waitable_timer<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>,
                                        executor>
          pause{io_};
      pause.expires_after(std::chrono::milliseconds{50});
      // Like an event that comes later.
      co_await pause.async_wait(boost::asio::use_awaitable_t<executor>{});
      if (breaks_)
        throw std::runtime_error{"the source broke"};
    }
    co_return at_ < 3 ? std::optional<std::string>{parts[at_++]} : std::nullopt;
  }

private:
  boost::asio::io_context& io_;
  bool breaks_;
  std::size_t at_ = 0;
};

inline task<response> stream(request_context& x) {
  response r{200, {}, {{"Content-Type", "text/plain"}}};
  r.stream = std::make_shared<counting_stream>(x.io, x.query_value("breaks").has_value());
  co_return r;
}

/// A row without a meaning for callers.
constexpr route row(std::string_view method, std::string_view pattern, task<response> (*handle)(request_context&),
                    bool is_bulk = false, std::string_view produces = "application/json") {
  return {.method = method,
          .pattern = pattern,
          .handle = handle,
          .roles = {role::anyone},
          .query = {},
          .body = {},
          .responses = {no_body(200)},
          .refusals = {},
          .tag = "test",
          .summary = "A route of the tests",
          .is_bulk = is_bulk,
          .waits = false,
          .produces = produces};
}

inline constexpr route table[] = {
    row("GET", "/", ok),
    row("GET", "/ok", ok),
    row("GET", "/marker", marker),
    row("POST", "/marker", marker),
    row("POST", "/echo", echo),
    row("PUT", "/echo", echo),
    row("POST", "/length", length),
    row("POST", "/bulk", length, true),
    row("GET", "/items/:id", item),
    row("DELETE", "/items/:id", item),
    row("GET", "/items/special", special),
    row("GET", "/items/:id/parts/:part", item),
    row("GET", "/origin", origin_of),
    row("GET", "/refusing", refusing),
    row("GET", "/overloaded", overloaded),
    row("GET", "/throwing", throwing),
    row("GET", "/slow", slow),
    row("GET", "/never", never),
    row("GET", "/elsewhere", from_elsewhere),
    row("GET", "/large", large),
    row("GET", "/dressed", dressed),
    row("DELETE", "/nothing", nothing),
    row("GET", "/stream", ok, false, "text/event-stream"),
    row("GET", "/parts", stream),
};

}  // namespace test_rows

/// A server on a free port with routes of its own and no actors.
class test_routes {
public:
  explicit test_routes(void (*change)(config::settings&) = [](config::settings&) {}) {
    log_to(nowhere());
    settings.http_port = 0;
    change(settings);
    app.emplace(settings, node);
    serves.emplace(*app, test_rows::table);
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

/// Waits, because the client has its answer before the server has counted it.
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
