#include "http/transport/head_check.hpp"
#include "http/transport/responses.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <vector>

using namespace callboard;
using namespace callboard::http;
using namespace std::string_literals;

namespace {

constexpr int ok = 200;
constexpr int unfinished = 0;

/// The result as a client would see it; 200 stands for a head that passed.
int verdict(const std::string& bytes, request_head& into) {
  head_scanner scanner;
  const auto seen = scanner.look(bytes);
  if (seen == head_scanner::found::incomplete)
    return unfinished;
  if (seen == head_scanner::found::faulty)
    return status_of(scanner.fault().what);
  const auto fault = check_head(std::string_view{bytes}.substr(0, scanner.size()), into);
  return fault ? status_of(fault->what) : ok;
}

int verdict(const std::string& bytes) {
  request_head head;
  return verdict(bytes, head);
}

struct row {
  int expected;
  std::string bytes;
};

/// A request line with a Host and other fields.
std::string get(const std::string& fields) { return "GET / HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n"; }
std::string post(const std::string& fields) { return "POST /api/x HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n"; }
std::string line(const std::string& request_line) { return request_line + "\r\nHost: localhost\r\n\r\n"; }
std::string target(const std::string& t) { return line("GET " + t + " HTTP/1.1"); }
std::string host(const std::string& value) { return "GET / HTTP/1.1\r\nHost:" + value + "\r\n\r\n"; }
std::string many_fields(int n) {
  std::string out;
  for (int i = 0; i < n; ++i)
    out += "X-" + std::to_string(i) + ": y\r\n";
  return out;
}

const std::vector<row>& corpus() {
  static const std::vector<row> rows{
      // Request lines
      {ok, line("GET / HTTP/1.1")},
      {ok, line("GET / HTTP/1.0")},
      {ok, line("HEAD / HTTP/1.1")},
      {ok, line("DELETE /api/jobs/1 HTTP/1.1")},
      {ok, line("PATCH /api/jobs/1 HTTP/1.1")},
      {ok, line("OPTIONS /api HTTP/1.1")},
      {ok, line("TRACE / HTTP/1.1")},
      {ok, line("M-SEARCH / HTTP/1.1")},
      {ok, line("get / HTTP/1.1")},
      {ok, line("!#$%&'*+-.^_`|~ / HTTP/1.1")},
      {ok, line(std::string(32, 'A') + " / HTTP/1.1")},
      {400, line(std::string(33, 'A') + " / HTTP/1.1")},
      {400, line("")},
      {400, line("GET")},
      {400, line("GET ")},
      {400, line("GET /")},
      {400, line("GET / ")},
      {400, line("GET /HTTP/1.1")},
      {400, line("GET  / HTTP/1.1")},
      {400, line("GET /  HTTP/1.1")},
      {400, line("GET / HTTP/1.1 ")},
      {400, line(" GET / HTTP/1.1")},
      {400, line("\tGET / HTTP/1.1")},
      {400, line("GET\t/ HTTP/1.1")},
      {400, line("GET /\tHTTP/1.1")},
      {400, line("GET / HTTP/1.1\t")},
      {400, line(" / HTTP/1.1")},
      {400, line("G(T / HTTP/1.1")},
      {400, line("G\"T / HTTP/1.1")},
      {400, line("G/T / HTTP/1.1")},
      {400, line("GE:T / HTTP/1.1")},
      {400, line("G\0T / HTTP/1.1"s)},
      {400, line("G\x80T / HTTP/1.1")},
      {400, line("G\x7fT / HTTP/1.1")},
      {400, line("GET / HTTP/1.1 extra")},
      {400, line("GET /a b HTTP/1.1")},
      {400, "\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {400, "\r\n\r\n"},
      // Versions
      {400, line("GET / HTTP/0.9")},
      {400, line("GET / HTTP/1.2")},
      {400, line("GET / HTTP/2.0")},
      {400, line("GET / HTTP/2")},
      {400, line("GET / HTTP/3")},
      {400, line("GET / HTTP/11")},
      {400, line("GET / HTTP/1.10")},
      {400, line("GET / HTTP/01.1")},
      {400, line("GET / HTTP/1.")},
      {400, line("GET / HTTP/1,1")},
      {400, line("GET / http/1.1")},
      {400, line("GET / HTTPS/1.1")},
      {400, line("GET / ICY/1.1")},
      {400, line("GET / HTTP/-1.1")},
      {400, line("GET / HTTP/1.1\0"s)},
      {400, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      // Targets
      {ok, target("/a/b/c?x=1&y=2")},
      {ok, target("/%00")},
      {ok, target("/%zz")},
      {ok, target("//")},
      {ok, target("/..")},
      {ok, target("/?")},
      {ok, target("/a?b?c")},
      {ok, target("/:@!$&'()*+,;=-._~")},
      {ok, target("/{a}|b^c\\d")},
      {ok, target("/" + std::string(8000, 'a'))},
      {431, target("/" + std::string(8200, 'a'))},
      {400, target("a")},
      {400, target("*")},
      {400, line("OPTIONS * HTTP/1.1")},
      {400, target("?x=1")},
      {400, target("http://localhost/")},
      {400, target("HTTP://localhost/")},
      {400, target("https://example.org/a")},
      {400, line("CONNECT localhost:80 HTTP/1.1")},
      {400, target("localhost:80")},
      {400, target("/a#b")},
      {400, target("#")},
      {400, target("/\x01")},
      {400, target("/\x1b[31m")},
      {400, target("/\x7f")},
      {400, target("/\x80")},
      {400, target("/caf\xc3\xa9")},
      {400, target("/\xff")},
      {400, target("/a\0b"s)},
      {400, target("/a\rb")},
      {400, target("/a\nb")},
      {400, target("/a\tb")},
      // Line ends
      {400, "GET / HTTP/1.1\nHost: localhost\n\n"},
      {400, "GET / HTTP/1.1\nHost: localhost\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: localhost\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: localhost\r\n\n"},
      {400, "\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {400, "GET / HTTP/1.1\rHost: localhost\r\r\n\r\n"},
      {400, get("X: a\rb\r\n")},
      {400, get("X: a\r\r\n")},
      {400, get("X: a\nY: b\r\n")},
      {400, get("\rX: a\r\n")},
      {400, "GET / HTTP/1.1\r\r\nHost: localhost\r\n\r\n"},
      {unfinished, ""},
      {unfinished, "G"},
      {unfinished, "GET / HTTP/1.1\r\n"},
      {unfinished, "GET / HTTP/1.1\r\nHost: localhost\r\n"},
      {unfinished, "GET / HTTP/1.1\r\nHost: localhost\r\n\r"},
      // Header lines
      {ok, get("X: y\r\n")},
      {ok, get("X:y\r\n")},
      {ok, get("X:\r\n")},
      {ok, get("X: \r\n")},
      {ok, get("X:\t y \t\r\n")},
      {ok, get("X: a:b:c\r\n")},
      {ok, get("X: y\r\nX: y\r\n")},
      {ok, get("X: caf\xc3\xa9\r\n")},
      {ok, get("X: \xff\r\n")},
      {ok, get("X: \"quoted, text\"\r\n")},
      {ok, get("x_y: z\r\n")},
      {ok, get("!#$%&'*+-.^_`|~: z\r\n")},
      {ok, get("Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n")},
      {400, get("X : y\r\n")},
      {400, get("X\t: y\r\n")},
      {400, get(" X: y\r\n")},
      {400, get("X: y\r\n z\r\n")},
      {400, get("X: y\r\n\tz\r\n")},
      {400, get("X: y\r\n \r\n")},
      {400, "GET / HTTP/1.1\r\n Host: localhost\r\n\r\n"},
      {400, get(": y\r\n")},
      {400, get(":\r\n")},
      {400, get("X\r\n")},
      {400, get("X y\r\n")},
      {400, get("X Y: z\r\n")},
      {400, get("X(: y\r\n")},
      {400, get("X,Y: z\r\n")},
      {400, get("X;: y\r\n")},
      {400, get("\"X\": y\r\n")},
      {400, get("X@: y\r\n")},
      {400, get("[X]: y\r\n")},
      {400, get("X/Y: z\r\n")},
      {400, get("X\x80: y\r\n")},
      {400, get("X\xc3\xa9: y\r\n")},
      {400, get("X\0: y\r\n"s)},
      {400, get("X: a\0b\r\n"s)},
      {400, get("X: \x01\r\n")},
      {400, get("X: \x08\r\n")},
      {400, get("X: \x0b\r\n")},
      {400, get("X: \x0c\r\n")},
      {400, get("X: \x1b[2J\r\n")},
      {400, get("X: \x7f\r\n")},
      // Sizes
      {ok, get(many_fields(99))},
      {431, get(many_fields(100))},
      {431, get(many_fields(500))},
      {ok, get("X: " + std::string(8000, 'a') + "\r\n")},
      {431, get("X: " + std::string(8200, 'a') + "\r\n")},
      {431, get(std::string(8200, 'X') + ": a\r\n")},
      {431, "GET /" + std::string(9000, 'a')},
      {ok, get("A: " + std::string(8000, 'a') + "\r\nB: " + std::string(8000, 'b') + "\r\n")},
      {431, get("A: " + std::string(8000, 'a') + "\r\nB: " + std::string(8000, 'b') +
                "\r\nC: " + std::string(400, 'c') + "\r\n")},
      {431,
       get("A: " + std::string(8000, 'a') + "\r\nB: " + std::string(8000, 'b') + "\r\nC: ") + std::string(400, 'c')},
      // Host
      {ok, host("\tlocalhost\t")},
      {ok, host("localhost")},
      {ok, host(" localhost:8080")},
      {ok, host(" 127.0.0.1:1")},
      {ok, host(" [::1]")},
      {ok, host(" [::1]:8080")},
      {ok, host(" [::ffff:127.0.0.1]:8080")},
      {ok, host(" example.org")},
      {ok, host(" localhost:")},
      {ok, host(" my_host")},
      {ok, "GET / HTTP/1.0\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nX: y\r\n\r\n"},
      {400, host(" a\r\nHost: a")},
      {400, host(" a\r\nHost: b")},
      {400, host(" a\r\nhOST: b")},
      {400, "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"},
      {400, host("")},
      {400, host(" ")},
      {400, host(" a, b")},
      {400, host(" a b")},
      {400, host(" user@localhost")},
      {400, host(" localhost/")},
      {400, host(" localhost/a")},
      {400, host(" http://localhost")},
      {400, host(" localhost:80a")},
      {400, host(" localhost:80:80")},
      {400, host(" localhost:808080")},
      {400, host(" :80")},
      {400, host(" [::1")},
      {400, host(" []")},
      {400, host(" [::1]x")},
      {400, host(" [localhost]")},
      {400, host(" local\xc3\xa9")},
      {400, host(" localhost?x")},
      {400, host(" localhost#x")},
      {400, host(" localhost\\x")},
      // Content-Length
      {ok, post("Content-Length: 0\r\n")},
      {ok, post("Content-Length: 5\r\n")},
      {ok, post("content-length:5\r\n")},
      {ok, post("CONTENT-LENGTH: 005\r\n")},
      {ok, post("Content-Length: 999999999999999999\r\n")},
      {ok, get("Content-Length: 0\r\n")},
      {ok, post("Content_Length: 5\r\nContent-Length: 4\r\n")},
      {400, post("Content-Length: 1000000000000000000\r\n")},
      {400, post("Content-Length: 18446744073709551616\r\n")},
      {400, post("Content-Length: 18446744073709551621\r\n")},
      {400, post("Content-Length: " + std::string(40, '0') + "5\r\n")},
      {400, post("Content-Length: 5\r\nContent-Length: 5\r\n")},
      {400, post("Content-Length: 5\r\nContent-Length: 6\r\n")},
      {400, post("Content-Length: 5\r\nX: y\r\ncontent-length: 5\r\n")},
      {400, post("Content-Length: 5, 5\r\n")},
      {400, post("Content-Length: 5,6\r\n")},
      {400, post("Content-Length: 5,\r\n")},
      {400, post("Content-Length: +5\r\n")},
      {400, post("Content-Length: -5\r\n")},
      {400, post("Content-Length: -0\r\n")},
      {400, post("Content-Length: 0x5\r\n")},
      {400, post("Content-Length: 5.0\r\n")},
      {400, post("Content-Length: 5e0\r\n")},
      {400, post("Content-Length: 5 5\r\n")},
      {400, post("Content-Length: 5;\r\n")},
      {400, post("Content-Length: \"5\"\r\n")},
      {400, post("Content-Length: five\r\n")},
      {400, post("Content-Length:\r\n")},
      {400, post("Content-Length: \r\n")},
      {400, post("Content-Length : 5\r\n")},
      {400, post("Content-Length: 5\r\n 6\r\n")},
      {400, post("Content-Length: \xd9\xa5\r\n")},
      {400, post("Content-Length: 5\0\r\n"s)},
      {400, get("Content-Length: 5\r\n")},
      {400, "HEAD / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n"},
      // Transfer-Encoding
      {ok, post("Transfer-Encoding: chunked\r\n")},
      {ok, post("transfer-encoding:\tCHUNKED \r\n")},
      {400, post("Transfer-Encoding: gzip\r\n")},
      {400, post("Transfer-Encoding: gzip\r\nContent-Length: 5\r\n")},
      {400, post("Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n")},
      {400, post("Transfer-Encoding: chunkedx\r\n")},
      {400, post("Transfer-Encoding: chunked, identity\r\nContent-Length: 5\r\n")},
      {400, post("Transfer-Encoding: identity\r\n")},
      {400, post("Transfer-Encoding: identity, chunked\r\n")},
      {400, post("Transfer-Encoding: gzip, chunked\r\n")},
      {400, post("Transfer-Encoding: chunked, chunked\r\n")},
      {400, post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
      {400, post("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n")},
      {400, post("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n")},
      {400, post("Transfer-Encoding: chunked;q=1\r\n")},
      {400, post("Transfer-Encoding: chunked,\r\n")},
      {400, post("Transfer-Encoding: ,chunked\r\n")},
      {400, post("Transfer-Encoding: \"chunked\"\r\n")},
      {400, post("Transfer-Encoding: 'chunked'\r\n")},
      {400, post("Transfer-Encoding:\r\n")},
      {400, post("Transfer-Encoding: \r\n")},
      {400, post("Transfer-Encoding : chunked\r\n")},
      {400, post("Transfer-Encoding\t: chunked\r\n")},
      {400, post(" Transfer-Encoding: chunked\r\n")},
      {400, post("Transfer-Encoding:\r\n chunked\r\n")},
      {400, post("Transfer-Encoding: \x0b"
                 "chunked\r\n")},
      {400, post("Transfer-Encoding: chunked\x0c\r\n")},
      {400, post("Transfer-Encoding: chun\0ked\r\n"s)},
      {400, post("X: y\rTransfer-Encoding: chunked\r\n")},
      {400, post("X: y\nTransfer-Encoding: chunked\r\n")},
      {400, post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")},
      {400, post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")},
      {400, post("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n")},
      {400, get("Transfer-Encoding: chunked\r\n")},
      {400, "HEAD / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {400, "POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"},
      // Expect
      {ok, post("Expect: 100-continue\r\nContent-Length: 5\r\n")},
      {ok, post("Expect: 100-Continue\r\nContent-Length: 5\r\n")},
      {ok, get("Expect: 100-continue\r\n")},
      {417, post("Expect: 200-ok\r\n")},
      {417, post("Expect:\r\n")},
      {417, post("Expect: 100-continue, 100-continue\r\n")},
      {417, post("Expect: 100-continue\r\nExpect: x\r\n")},
      {417, "POST / HTTP/1.0\r\nExpect: x\r\n\r\n"},
  };
  return rows;
}

}  // namespace

TEST_CASE("every head of the corpus gets its verdict", "[head]") {
  CHECK(corpus().size() >= 200);
  std::set<std::string> seen;
  for (const auto& [expected, bytes] : corpus()) {
    INFO(bytes.substr(0, 300));
    CHECK(seen.insert(bytes).second);
    CHECK(verdict(bytes) == expected);
  }
}

TEST_CASE("a head has the same verdict in whatever pieces it arrives", "[head]") {
  for (const auto& [expected, bytes] : corpus()) {
    if (bytes.size() > 1000)
      continue;
    INFO(bytes);
    head_scanner scanner;
    auto seen = head_scanner::found::incomplete;
    std::size_t n = 0;
    while (seen == head_scanner::found::incomplete && n < bytes.size())
      seen = scanner.look(std::string_view{bytes}.substr(0, ++n));
    if (seen == head_scanner::found::incomplete) {
      CHECK(expected == unfinished);
    } else if (seen == head_scanner::found::faulty) {
      CHECK(status_of(scanner.fault().what) == expected);
    } else {
      CHECK(scanner.size() == n);
      CHECK(verdict(bytes.substr(0, n)) == expected);
    }
  }
}

TEST_CASE("what follows a head does not change its verdict", "[head]") {
  for (const auto& [expected, bytes] : corpus()) {
    if (expected != ok)
      continue;
    INFO(bytes.substr(0, 300));
    request_head alone, followed;
    const auto with_marker = bytes + "GET /marker HTTP/1.1\r\nTransfer-Encoding: gzip\n\n";
    CHECK(verdict(bytes, alone) == ok);
    CHECK(verdict(with_marker, followed) == ok);
    CHECK(alone.content_length == followed.content_length);
    CHECK(alone.fields == followed.fields);
  }
}

TEST_CASE("a head that passed says how its request is framed", "[head]") {
  request_head head;
  std::string kept;
  const auto read = [&](std::string bytes) {
    kept = std::move(bytes);
    REQUIRE(verdict(kept, head) == ok);
  };

  read(post("Content-Length: 12\r\nX-Y:  z \r\n"));
  CHECK(head.method == "POST");
  CHECK(head.target == "/api/x");
  CHECK(head.content_length == 12);
  CHECK(head.has_body());
  CHECK_FALSE(head.is_chunked);
  CHECK(head.keep_alive);
  CHECK(head.fields.back() == std::pair<std::string_view, std::string_view>{"X-Y", "z"});

  read(post("Transfer-Encoding: chunked\r\n"));
  CHECK(head.is_chunked);
  CHECK(head.content_length == 0);

  read(get("Connection: close\r\n"));
  CHECK_FALSE(head.keep_alive);
  read(get("Connection: x, Close , y\r\n"));
  CHECK_FALSE(head.keep_alive);
  read(get("Connection: x\r\nConnection: close\r\n"));
  CHECK_FALSE(head.keep_alive);
  read(get("Connection: keep-alive, close\r\n"));
  CHECK_FALSE(head.keep_alive);
  read(get("Connection: closed\r\n"));
  CHECK(head.keep_alive);

  read("GET / HTTP/1.0\r\n\r\n");
  CHECK(head.is_http_1_0);
  CHECK_FALSE(head.keep_alive);
  read("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
  CHECK(head.keep_alive);

  read(post("Expect: 100-continue\r\nContent-Length: 1\r\n"));
  CHECK(head.awaits_continue);
  read(post("Expect: 100-continue\r\n"));
  CHECK_FALSE(head.awaits_continue);
  read("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
  CHECK_FALSE(head.awaits_continue);
}
