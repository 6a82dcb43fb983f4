#include "test_routes.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace callboard;
using namespace callboard::http;
using namespace std::string_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

using clock_type = std::chrono::steady_clock;

auto ms_since(clock_type::time_point t) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock_type::now() - t).count();
}

std::string code_of(const raw_answer& a) {
  const auto at = a.body.find("\"code\":\"");
  return at == std::string::npos ? "" : a.body.substr(at + 8, a.body.find('"', at + 8) - at - 8);
}

void short_timeouts(config::settings& s) {
  s.http_head_timeout_ms = 200;
  s.http_body_timeout_ms = 200;
  s.http_write_timeout_ms = 200;
  s.http_idle_timeout_ms = 200;
}

}  // namespace

TEST_CASE("an answer has its headers", "[transport]") {
  test_routes s;
  const auto a = s.ask(get("/ok"));
  CHECK(a.status == 200);
  CHECK(a.body == R"({"ok":true})");
  CHECK(a.headers.at("content-type") == "application/json");
  CHECK(a.headers.at("content-length") == "11");
  CHECK(a.headers.at("cache-control") == "no-store");
  CHECK(a.headers.at("x-content-type-options") == "nosniff");
  CHECK(a.headers.at("x-request-id").size() == 32);
  CHECK_THAT(a.headers.at("date"), Catch::Matchers::EndsWith(" GMT"));
  CHECK(a.headers.at("date").size() == 29);
  CHECK(a.headers.count("server") == 0);
  CHECK(a.headers.count("connection") == 0);
  CHECK(a.headers.count("access-control-allow-origin") == 0);
  CHECK(s.ask(get("/")).status == 200);
}

TEST_CASE("a route's own headers override and cannot smuggle in others", "[transport]") {
  test_routes s;
  const auto a = s.ask(get("/dressed"));
  CHECK(a.headers.at("content-type") == "text/plain");
  CHECK(a.headers.at("cache-control") == "max-age=60");
  CHECK(a.headers.at("x-split") == "a  X-Evil: b");
  CHECK(a.headers.count("x-evil") == 0);
  auto c = s.connect();
  const auto none = c.ask(request("DELETE /nothing"));
  CHECK(none.status == 204);
  CHECK(none.headers.count("content-length") == 0);
  CHECK(c.ask(get("/ok")).status == 200);
}

TEST_CASE("a connection serves one request after the other", "[transport]") {
  test_routes s;
  auto c = s.connect();
  for (int i = 0; i < 50; ++i) {
    CHECK(c.ask(get("/ok")).status == 200);
    CHECK(c.ask(post("/echo", "[" + std::to_string(i) + "]")).body == "[" + std::to_string(i) + "]");
  }
  CHECK(s.app->metrics.connections() == 1);
  const auto last = c.ask(get("/ok", "Connection: close\r\n"));
  CHECK(last.headers.at("connection") == "close");
  CHECK(c.is_closed());
}

TEST_CASE("HTTP/1.0 closes unless asked not to", "[transport]") {
  test_routes s;
  auto c = s.connect();
  const auto kept = c.ask("GET /ok HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
  CHECK(kept.status == 200);
  CHECK(kept.headers.at("connection") == "keep-alive");
  CHECK(c.ask("GET /ok HTTP/1.0\r\nHost: localhost\r\n\r\n").headers.at("connection") == "close");
  CHECK(c.is_closed());
}

TEST_CASE("pipelined requests are answered in order", "[transport]") {
  test_routes s;
  auto c = s.connect();
  std::string all;
  for (int i = 0; i < 300; ++i) {
    all += i % 3 == 0   ? get("/items/" + std::to_string(i))
           : i % 3 == 1 ? post("/echo", "[" + std::to_string(i) + "]")
                        : post_chunked("/echo", "3\r\n[" + std::to_string(i % 10) + ",\r\n2\r\n1]\r\n0\r\n\r\n");
    if (i == 20)
      all += get("/slow");
  }
  REQUIRE(c.send(all));
  for (int i = 0; i < 300; ++i) {
    const auto a = c.receive();
    INFO(i);
    REQUIRE(a.status == 200);
    if (i % 3 == 0)
      CHECK_THAT(a.body, Contains("[\"" + std::to_string(i) + "\"]"));
    else if (i % 3 == 1)
      CHECK(a.body == "[" + std::to_string(i) + "]");
    else
      CHECK(a.body == "[" + std::to_string(i % 10) + ",1]");
    if (i == 20)
      CHECK(c.receive().body == R"({"slow":true})");
  }
}

TEST_CASE("requests may arrive in any pieces", "[transport]") {
  test_routes s;
  const std::vector<std::pair<std::string, std::string>> requests{
      {post("/echo", R"({"a":1})"), R"({"a":1})"},
      {post_chunked("/echo", "4\r\n[1,2\r\n00003\r\n,3]\r\n0\r\n\r\n"), "[1,2,3]"},
      {get("/items/a%2Fb?x=1"), R"({"parameters":["a/b"],"query":["x","1",null]})"},
  };
  for (const auto& [bytes, expected] : requests)
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
      auto c = s.connect();
      INFO(bytes << " cut at " << cut);
      c.send(std::string_view{bytes}.substr(0, cut));
      // Pause, or both pieces would be read as one.
      std::this_thread::sleep_for(std::chrono::microseconds{300});
      c.send(std::string_view{bytes}.substr(cut));
      c.send(get("/ok"));
      REQUIRE(c.receive().body == expected);
      REQUIRE(c.receive().status == 200);
    }
  auto c = s.connect();
  for (const char byte : requests[1].first)
    c.send({&byte, 1});
  CHECK(c.receive().body == requests[1].second);
}

TEST_CASE("nothing after a faulty head or chunk is read as a request", "[transport]") {
  test_routes s;
  const std::vector<std::pair<int, std::string>> faulty{
      {400, request("POST /echo", "Transfer-Encoding: gzip\r\n", "12345")},
      {400, request("POST /echo", "Transfer-Encoding: xchunked\r\n", "12345")},
      {400, request("POST /echo", "Transfer-Encoding: chunked, identity\r\n", "12345")},
      {400, request("POST /echo", "Transfer-Encoding: gzip\r\n")},
      {400, request("POST /echo", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n"},
      {400, request("POST /echo", "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n") + "0\r\n\r\n"},
      {400, "POST /echo HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {400, request("POST /echo", "X: a\r\n b\r\n")},
      {400, request("POST /echo", "Content-Length: 5\r\nContent-Length: 5\r\n") + "12345"},
      {400, request("POST /echo", "Content-Length: 5, 5\r\n") + "12345"},
      {400, request("POST /echo", "Content-Length: +5\r\n") + "12345"},
      {400, request("GET /ok", "Host: localhost\r\n")},
      {400, "GET /ok HTTP/1.1\r\n\r\n"},
      {400, request("GET /ok", "", "12345")},
      {400, request("HEAD /ok", "Content-Length: 5\r\n")},
      {400, get("/ok", "X : a\r\n")},
      {400, get("http://localhost/ok")},
      {400, get("/caf\xc3\xa9")},
      {400, request("OPTIONS *")},
      {400, request("CONNECT localhost:80")},
      {400, "GET /ok HTTP/1.1\nHost: localhost\n\n"},
      {400, "GET /ok HTTP/2.0\r\nHost: localhost\r\n\r\n"},
      {400, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"s},
      {417, request("POST /echo", "Expect: miracles\r\n", "12345")},
      {431, get("/ok", "X: " + std::string(9000, 'x') + "\r\n")},
      {400, post_chunked("/echo", "2;a=b\r\n{}\r\n0\r\n\r\n")},
      {400, post_chunked("/echo", "2;a\r\n{}\r\n0\r\n\r\n")},
      {400, post_chunked("/echo", "2 \r\n{}\r\n0\r\n\r\n")},
      {400, post_chunked("/echo", " 2\r\n{}\r\n0\r\n\r\n")},
      {400, post_chunked("/echo", "2\n{}\r\n0\r\n\r\n")},
      {400, post_chunked("/echo", "2\r\n{}\n0\r\n\r\n")},
      {400, post_chunked("/echo", "2\r\n{}0\r\n\r\n")},
      {400, post_chunked("/echo", "2\r\n{}xx0\r\n\r\n")},
      {400, post_chunked("/echo", "+2\r\n{}\r\n0\r\n\r\n")},
      {400, post_chunked("/echo", "-2\r\n{}\r\n0\r\n\r\n")},
      {400, post_chunked("/echo", "0x2\r\n{}\r\n0\r\n\r\n")},
      {400, post_chunked("/echo", "g\r\n{}\r\n0\r\n\r\n")},
      {400, post_chunked("/echo", "\r\n{}\r\n0\r\n\r\n")},
      {400, post_chunked("/echo", "10000000000000002\r\n{}\r\n0\r\n\r\n")},
      {400, post_chunked("/echo", "2\r\n{}\r\n0\r\nX: trailer\r\n\r\n")},
      {400, post_chunked("/echo", "2\r\n{}\r\n0\r\nContent-Length: 40\r\n\r\n")},
      {400, post_chunked("/echo", "2\r\n{}\r\n0;a=b\r\n\r\n")},
      {413, post_chunked("/echo", "ffffffffffffffff\r\n{}\r\n0\r\n\r\n")},
      {413, post_chunked("/echo", "200000\r\n{}\r\n0\r\n\r\n")},
      {413, request("POST /echo", "Content-Type: application/json\r\nContent-Length: 999999999999\r\n")},
  };
  markers = echoes = 0;
  for (const auto& [status, bytes] : faulty) {
    INFO(bytes.substr(0, 300));
    auto c = s.connect();
    c.send(bytes + get("/marker") + get("/marker"));
    const auto all = c.receive_all();
    REQUIRE(all.size() == 1);
    CHECK(all[0].status == status);
    CHECK(all[0].headers.at("connection") == "close");
    CHECK(all[0].headers.count("x-request-id") == 1);
  }
  CHECK(markers == 0);
  CHECK(echoes == 0);
}

TEST_CASE("bodies frame the next request exactly", "[transport]") {
  test_routes s;
  markers = 0;
  const auto hidden = get("/marker");
  auto c = s.connect();
  // Each body is a request that must stay a body.
  c.send(post("/echo", hidden) + get("/ok"));
  CHECK(c.receive().body == hidden);
  CHECK(c.receive().body == R"({"ok":true})");
  char size[16];
  std::snprintf(size, sizeof size, "%zx", hidden.size());
  c.send(post_chunked("/echo", size + "\r\n"s + hidden + "\r\n0\r\n\r\n") + get("/ok"));
  CHECK(c.receive().body == hidden);
  CHECK(c.receive().body == R"({"ok":true})");
  // Refused with its body already read: the connection continues after it.
  for (const auto& refused :
       {post("/nowhere", hidden), post("/ok", hidden), post("/echo", hidden, "Content-Type: text/plain\r\n")}) {
    c.send(refused + get("/ok"));
    CHECK(c.receive().status >= 400);
    CHECK(c.receive().body == R"({"ok":true})");
  }
  CHECK(markers == 0);
}

TEST_CASE("a refused body that has not arrived ends the connection", "[transport]") {
  test_routes s;
  markers = 0;
  auto c = s.connect();
  c.send(request("POST /nowhere", "Content-Length: 500\r\n"));
  const auto a = c.receive();
  CHECK(a.status == 404);
  CHECK(a.headers.at("connection") == "close");
  c.send(get("/marker"));
  CHECK(c.is_closed());
  CHECK(markers == 0);
}

TEST_CASE("a body that is too large is refused unread", "[transport]") {
  test_routes s;
  const std::string json = "Content-Type: application/json\r\n";
  SECTION("by its length, before a byte of it has arrived") {
    auto c = s.connect();
    const auto a = c.ask(request("POST /length", json + "Content-Length: 1048577\r\n"));
    CHECK(a.status == 413);
    CHECK(code_of(a) == "PAYLOAD_TOO_LARGE");
    CHECK(a.headers.at("connection") == "close");
  }
  SECTION("while the client goes on sending it, which then still reads the answer") {
    auto c = s.connect();
    c.send(request("POST /length", json + "Content-Length: 4000000\r\n"));
    c.send(std::string(4'000'000, ' '));
    CHECK(c.receive().status == 413);
  }
  SECTION("chunk by chunk") {
    auto c = s.connect();
    c.send(post_chunked("/length", ""));
    const auto chunk = "4000\r\n" + std::string(0x4000, ' ') + "\r\n";
    for (int i = 0; i < 64; ++i)
      REQUIRE(c.send(chunk));
    CHECK_FALSE(c.has_input(100));
    c.send("1\r\n");
    CHECK(c.receive().status == 413);
  }
  SECTION("the largest body that is allowed is accepted") {
    CHECK(s.ask(post("/length", std::string(1 << 20, ' '))).body == "1048576");
    std::string chunks;
    for (int i = 0; i < 64; ++i)
      chunks += "4000\r\n" + std::string(0x4000, ' ') + "\r\n";
    CHECK(s.ask(post_chunked("/length", chunks + "0\r\n\r\n")).body == "1048576");
  }
  SECTION("bulk routes take more") {
    CHECK(s.ask(post("/bulk", std::string(3 << 20, ' '))).body == "3145728");
    CHECK(s.ask(request("POST /bulk", json + "Content-Length: 16777217\r\n")).status == 413);
  }
  CHECK(eventually([&] { return s.app->metrics.now().body_bytes_in_flight == 0; }));
}

TEST_CASE("100-continue is sent only for a body that will be read", "[transport]") {
  test_routes s;
  const std::string fields = "Content-Type: application/json\r\nExpect: 100-continue\r\n";
  auto c = s.connect();
  c.send(request("POST /echo", fields + "Content-Length: 2\r\n"));
  CHECK(c.receive().status == 100);
  c.send("{}");
  CHECK(c.receive().body == "{}");
  c.send(request("POST /echo", fields + "Transfer-Encoding: chunked\r\n"));
  CHECK(c.receive().status == 100);
  c.send("2\r\n[]\r\n0\r\n\r\n");
  CHECK(c.receive().body == "[]");
  CHECK(c.ask(request("POST /nowhere", fields + "Content-Length: 2\r\n")).status == 404);
  CHECK(c.is_closed());
  CHECK(s.ask(request("POST /echo", fields + "Content-Length: 9999999\r\n")).status == 413);
}

TEST_CASE("slow clients time out", "[transport]") {
  test_routes s{short_timeouts};
  const auto began = clock_type::now();
  SECTION("a head, whatever trickles in") {
    auto c = s.connect();
    const auto head = get("/ok", "X: " + std::string(400, 'x') + "\r\n");
    std::size_t sent = 0;
    while (sent < head.size() && !c.has_input(10))
      c.send(std::string_view{head}.substr(sent++, 1));
    CHECK(sent < head.size());
    const auto a = c.receive();
    CHECK(a.status == 408);
    CHECK(code_of(a) == "TIMEOUT");
    CHECK(c.is_closed());
  }
  SECTION("a body") {
    CHECK(s.ask(request("POST /echo", "Content-Type: application/json\r\nContent-Length: 9\r\n") + "123").status ==
          408);
  }
  SECTION("a chunked body") { CHECK(s.ask(post_chunked("/echo", "2\r\n{")).status == 408); }
  SECTION("an idle connection is closed without an answer") {
    auto c = s.connect();
    CHECK(c.is_closed());
    auto used = s.connect();
    CHECK(used.ask(get("/ok")).status == 200);
    CHECK(used.is_closed());
  }
  SECTION("a reader") {
    auto c = s.connect();
    c.shrink_receive_buffer();
    c.send(get("/large") + get("/large"));
    CHECK(eventually([&] { return s.app->metrics.connections() == 1; }));
    CHECK(eventually([&] { return s.app->metrics.connections() == 0; }));
  }
  CHECK(ms_since(began) >= 190);
  CHECK(ms_since(began) < 2500);
}

TEST_CASE("a route may take longer than any timeout of the socket", "[transport]") {
  test_routes s{short_timeouts};
  CHECK(s.ask(get("/slow")).body == R"({"slow":true})");
}

TEST_CASE("a route may be resumed from another thread", "[transport]") {
  test_routes s;
  auto c = s.connect();
  for (int i = 0; i < 20; ++i)
    CHECK(c.ask(get("/elsewhere")).body == "42");
}

TEST_CASE("a large answer arrives whole", "[transport]") {
  test_routes s;
  auto c = s.connect();
  c.send(get("/large") + get("/ok"));
  std::this_thread::sleep_for(std::chrono::milliseconds{50});
  CHECK(c.receive().body == std::string(std::size_t{8} << 20, '7'));
  CHECK(c.receive().status == 200);
}

TEST_CASE("clients that disconnect leave no resources behind", "[transport]") {
  test_routes s;
  for (int i = 0; i < 50; ++i) {
    auto half_head = s.connect();
    half_head.send("GET /ok HT");
    auto half_body = s.connect();
    half_body.send(request("POST /echo", "Content-Type: application/json\r\nContent-Length: 9\r\n") + "1");
    auto waiting = s.connect();
    waiting.send(get("/slow"));
    auto deaf = s.connect();
    deaf.send(get("/large"));
    if (i % 2 == 0) {
      half_body.reset();
      waiting.reset();
      deaf.reset();
    }
  }
  CHECK(eventually([&] { return s.app->metrics.connections() == 0; }));
  const auto f = s.app->metrics.now();
  CHECK(f.connections_open == 0);
  CHECK(f.requests_in_flight == 0);
  CHECK(f.body_bytes_in_flight == 0);
  CHECK(s.ask(get("/ok")).status == 200);
}

TEST_CASE("a client that has closed its sending side still gets the answer", "[transport]") {
  test_routes s;
  auto c = s.connect();
  c.send(get("/slow"));
  c.end_sending();
  CHECK(c.receive().status == 200);
  CHECK(c.is_closed());
}

TEST_CASE("connections and requests have limits", "[transport]") {
  SECTION("connections") {
    test_routes s{[](config::settings& x) { x.http_connections_max = 2; }};
    auto one = s.connect();
    CHECK(one.ask(get("/ok")).status == 200);
    {
      auto two = s.connect();
      CHECK(two.ask(get("/ok")).status == 200);
      auto three = s.connect();
      const auto a = three.ask(get("/ok"));
      CHECK(a.status == 503);
      CHECK(code_of(a) == "OVERLOADED");
      CHECK(a.headers.at("connection") == "close");
      CHECK(a.headers.count("retry-after") == 1);
      CHECK(s.app->metrics.now().connections_refused == 1);
    }
    CHECK(eventually([&] { return s.app->metrics.connections() == 1; }));
    CHECK(s.ask(get("/ok")).status == 200);
    CHECK(one.ask(get("/ok")).status == 200);
  }
  SECTION("requests in flight") {
    test_routes s{[](config::settings& x) { x.http_requests_max = 1; }};
    auto first = s.connect();
    first.send(get("/slow"));
    CHECK(eventually([&] { return s.app->metrics.now().requests_in_flight == 1; }));
    auto second = s.connect();
    const auto began = clock_type::now();
    const auto a = second.ask(post("/echo", "{}"));
    CHECK(a.status == 503);
    CHECK(code_of(a) == "OVERLOADED");
    CHECK(std::atoi(a.headers.at("retry-after").c_str()) >= 1);
    CHECK(std::atoi(a.headers.at("retry-after").c_str()) <= 3);
    CHECK(a.headers.count("connection") == 0);
    CHECK(ms_since(began) < 200);
    CHECK(first.receive().status == 200);
    CHECK(eventually([&] { return s.app->metrics.now().requests_in_flight == 0; }));
    CHECK(second.ask(post("/echo", "{}")).status == 200);
    CHECK(s.app->metrics.now().requests_overloaded == 1);
  }
  SECTION("bytes of bodies") {
    test_routes s{[](config::settings& x) { x.http_bodies_max_mib = 1; }};
    const std::string json = "Content-Type: application/json\r\n";
    auto first = s.connect();
    first.send(request("POST /length", json + "Content-Length: 1000000\r\n"));
    CHECK(eventually([&] { return s.app->metrics.now().body_bytes_in_flight == 1'000'000; }));
    CHECK(s.ask(post("/length", std::string(100'000, ' '))).status == 503);
    CHECK(s.ask(post_chunked("/length", "186a0\r\n" + std::string(100'000, ' ') + "\r\n0\r\n\r\n")).status == 503);
    CHECK(s.ask(post("/length", "{}")).status == 200);
    first.send(std::string(1'000'000, ' '));
    CHECK(first.receive().body == "1000000");
    CHECK(eventually([&] { return s.app->metrics.now().body_bytes_in_flight == 0; }));
    CHECK(s.ask(post("/length", std::string(100'000, ' '))).status == 200);
  }
}

TEST_CASE("a stop lets requests end and takes no new ones", "[transport]") {
  test_routes s;
  auto idle = s.connect();
  CHECK(idle.ask(get("/ok")).status == 200);
  auto busy = s.connect();
  busy.send(get("/slow"));
  CHECK(eventually([&] { return s.app->metrics.now().requests_in_flight == 1; }));
  const auto began = clock_type::now();
  s.serves->stop();
  CHECK(ms_since(began) >= 150);
  CHECK(ms_since(began) < 2000);
  CHECK(s.app->draining);
  const auto a = busy.receive();
  CHECK(a.body == R"({"slow":true})");
  CHECK(a.headers.at("connection") == "close");
  CHECK(busy.is_closed());
  CHECK(idle.is_closed());
  CHECK_THROWS(s.connect());
  s.serves->stop();
}

TEST_CASE("a stop ends within its timeout", "[transport]") {
  SECTION("with a connection that has just been accepted") {
    test_routes s;
    auto c = s.connect();
    const auto began = clock_type::now();
    s.serves->stop();
    CHECK(ms_since(began) < 1500);
    CHECK(c.is_closed());
  }
  SECTION("with a slow route") {
    test_routes s{[](config::settings& x) { x.http_drain_timeout_ms = 300; }};
    auto c = s.connect();
    c.send(get("/never"));
    CHECK(eventually([&] { return s.app->metrics.now().requests_in_flight == 1; }));
    const auto began = clock_type::now();
    s.serves->stop();
    CHECK(ms_since(began) >= 290);
    CHECK(ms_since(began) < 1500);
  }
  SECTION("with a client in the middle of a head, at once when hurried") {
    test_routes s;
    auto c = s.connect();
    c.send("GET /ok HT");
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
    const auto began = clock_type::now();
    std::thread hurrying{[&] {
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
      s.serves->hurry();
    }};
    s.serves->stop();
    hurrying.join();
    CHECK(ms_since(began) < 1500);
    CHECK(c.is_closed());
  }
}

TEST_CASE("a port belongs to one server, also when its threads share it", "[transport]") {
  test_routes s{[](config::settings& x) { x.http_threads = 3; }};
  auto taken = s.settings;
  taken.http_port = s.serves->port();
  service second{taken, s.app->node};
  CHECK_THROWS_AS((server{second, test_rows::table}), address_in_use);
  std::vector<raw_client> many;
  for (int i = 0; i < 60; ++i)
    many.push_back(s.connect());
  for (auto& c : many)
    CHECK(c.ask(get("/elsewhere")).body == "42");
  CHECK(s.app->metrics.connections() == 60);
  const auto port = s.serves->port();
  s.serves.reset();
  many.clear();
  // Free again at once, even with connections in TIME_WAIT.
  taken.http_port = port;
  server again{second, test_rows::table};
  CHECK(again.port() == port);
}

TEST_CASE("a stream is sent in chunks as they are made, and the connection lives on", "[transport]") {
  test_routes s;
  auto c = s.connect();
  c.send(get("/parts") + get("/ok", "Connection: close\r\n"));
  const auto all = c.receive_bytes();
  const auto body = all.find("\r\n\r\n") + 4;
  const auto head = all.substr(0, body);
  CHECK_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n") && Contains("Transfer-Encoding: chunked\r\n"));
  CHECK_THAT(head, Contains("Content-Type: text/plain\r\n") && !Contains("Content-Length"));
  const auto chunks = "3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n"s;
  CHECK(all.substr(body, chunks.size()) == chunks);
  CHECK_THAT(all.substr(body + chunks.size()), StartsWith("HTTP/1.1 200 OK\r\n") && Contains(R"({"ok":true})"));
}

TEST_CASE("HEAD of a stream ends after the head", "[transport]") {
  test_routes s;
  auto c = s.connect();
  c.send(request("HEAD /parts", "Connection: close\r\n"));
  CHECK_THAT(c.receive_bytes(), Contains("Transfer-Encoding: chunked") && Catch::Matchers::EndsWith("\r\n\r\n"));
}

TEST_CASE("HTTP/1.0 gets a stream up to the end of the connection", "[transport]") {
  test_routes s;
  auto c = s.connect();
  c.send("GET /parts HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
  const auto all = c.receive_bytes();
  CHECK_THAT(all, !Contains("Transfer-Encoding") && Contains("Connection: close\r\n"));
  CHECK_THAT(all, Catch::Matchers::EndsWith("\r\n\r\nonetwothree"));
}

TEST_CASE("a stream that breaks off does not look complete", "[transport]") {
  test_routes s;
  auto c = s.connect();
  c.send(get("/parts?breaks=1"));
  CHECK_THAT(c.receive_bytes(), Catch::Matchers::EndsWith("\r\n\r\n3\r\none\r\n"));
  CHECK(s.ask(get("/ok")).status == 200);
}
