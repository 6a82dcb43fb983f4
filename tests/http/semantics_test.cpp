#include "test_routes.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace callboard;
using namespace callboard::http;
using Catch::Matchers::Contains;

namespace {

std::string code_of(const raw_answer& a) {
  const auto at = a.body.find("\"code\":\"");
  return at == std::string::npos ? "" : a.body.substr(at + 8, a.body.find('"', at + 8) - at - 8);
}

const std::string json = "Content-Type: application/json\r\n";

}  // namespace

TEST_CASE("paths are split, then decoded once", "[semantics]") {
  test_routes s;
  const auto parameters = [&](const std::string& target) { return s.ask(get(target)).body; };
  CHECK_THAT(parameters("/items/7"), Contains(R"(["7"])"));
  CHECK_THAT(parameters("/items/a%2fb"), Contains(R"(["a/b"])"));
  CHECK_THAT(parameters("/items/%2e%2e"), Contains(R"([".."])"));
  CHECK_THAT(parameters("/items/%252e"), Contains(R"(["%2e"])"));
  CHECK_THAT(parameters("/items/a+b"), Contains(R"(["a+b"])"));
  CHECK_THAT(parameters("/items/caf%C3%A9/parts/2"), Contains("[\"caf\xc3\xa9\",\"2\"]"));
  CHECK(parameters("/items/special") == R"("special")");
  CHECK(parameters("/items/speci%61l") == R"("special")");
  CHECK_THAT(parameters("/items/1?a=1&b=x+y%26&c&=d&&a=2"),
             Contains(R"("query":["a","1","b","x y&","c","","","d","a","2",null])"));
  for (const auto* bad :
       {"/items/%", "/items/%4", "/items/%zz", "/items/%00", "/items/a%00b", "/items/%c0%ae", "/items/%ff",
        "/items/%ed%a0%80", "/items/%f4%90%80%80", "/items/1?a=%", "/items/1?a=%00", "/items/1?%ff=1"}) {
    INFO(bad);
    const auto a = s.ask(get(bad));
    CHECK(a.status == 400);
    CHECK(code_of(a) == "VALIDATION_ERROR");
  }
}

TEST_CASE("unknown paths are 404, unknown methods 405 with what is allowed", "[semantics]") {
  test_routes s;
  for (const auto* unknown : {"/nope", "/items", "/items/", "/items/1/", "//ok", "/ok/", "/../ok", "/OK"}) {
    INFO(unknown);
    const auto a = s.ask(get(unknown));
    CHECK(a.status == 404);
    CHECK(code_of(a) == "NOT_FOUND");
  }
  const auto a = s.ask(post("/items/1", "{}"));
  CHECK(a.status == 405);
  CHECK(code_of(a) == "METHOD_NOT_ALLOWED");
  CHECK(a.headers.at("allow") == "GET, HEAD, DELETE, OPTIONS");
  CHECK(s.ask(get("/echo")).headers.at("allow") == "POST, PUT, OPTIONS");
  CHECK(s.ask(request("BREW /ok")).status == 405);
  // The literal path has no DELETE of its own, the variable one has.
  CHECK_THAT(s.ask(request("DELETE /items/special")).body, Contains(R"(["special"])"));
  CHECK(s.ask(request("PATCH /items/special")).headers.at("allow") == "GET, HEAD, DELETE, OPTIONS");
}

TEST_CASE("HEAD is GET without the body", "[semantics]") {
  test_routes s;
  auto c = s.connect();
  c.send(request("HEAD /ok"));
  const auto a = c.receive(true);
  CHECK(a.status == 200);
  CHECK(a.headers.at("content-length") == "11");
  c.send(request("HEAD /nope"));
  CHECK(c.receive(true).status == 404);
  CHECK(c.ask(get("/ok")).body == R"({"ok":true})");
  CHECK(s.ask(request("HEAD /echo", "Connection: close\r\n")).status == 0);  // no body to wait for
}

TEST_CASE("OPTIONS with a body is refused", "[semantics]") {
  test_routes s;
  CHECK(s.ask(request("OPTIONS /items/1", "Content-Length: 5\r\n") + "12345").status == 400);
  CHECK(s.ask(request("OPTIONS /items/1", "Transfer-Encoding: chunked\r\n") + "0\r\n\r\n").status == 400);
  CHECK(s.ask(request("OPTIONS /items/1")).status == 204);
}

TEST_CASE("OPTIONS says what a path can do", "[semantics]") {
  test_routes s;
  const auto a =
      s.ask(request("OPTIONS /items/1", "Origin: http://pages.example\r\nAccess-Control-Request-Method: DELETE\r\n"));
  CHECK(a.status == 204);
  CHECK(a.headers.at("allow") == "GET, HEAD, DELETE, OPTIONS");
  CHECK(a.headers.count("access-control-allow-origin") == 0);
  CHECK(s.ask(request("OPTIONS /nope")).status == 404);
}

TEST_CASE("pages of configured origins may call", "[semantics]") {
  test_routes s{[](config::settings& x) { x.http_cors_origins = {"http://pages.example"}; }};
  const std::string theirs = "Origin: http://pages.example\r\n";
  const auto pre = s.ask(request("OPTIONS /echo", theirs + "Access-Control-Request-Method: POST\r\n"));
  CHECK(pre.status == 204);
  CHECK(pre.headers.at("access-control-allow-origin") == "http://pages.example");
  CHECK_THAT(pre.headers.at("access-control-allow-methods"), Contains("POST"));
  CHECK_THAT(pre.headers.at("access-control-allow-headers"), Contains("Idempotency-Key"));
  CHECK(pre.headers.at("vary") == "Origin");
  const auto a = s.ask(post("/echo", "{}", json + theirs));
  CHECK(a.status == 200);
  CHECK(a.headers.at("access-control-allow-origin") == "http://pages.example");
  CHECK(s.ask(get("/nope", theirs)).headers.at("access-control-allow-origin") == "http://pages.example");
  const auto other = s.ask(get("/ok", "Origin: http://pages.example.evil\r\n"));
  CHECK(other.status == 200);
  CHECK(other.headers.count("access-control-allow-origin") == 0);
}

TEST_CASE("pages of other origins cannot write", "[semantics]") {
  test_routes s;
  CHECK(s.ask(request("POST /echo", "Origin: http://evil.example\r\n")).status == 403);
  CHECK(s.ask(request("POST /echo", "Origin: null\r\n")).status == 403);
  CHECK(s.ask(request("DELETE /items/1", "Origin: http://localhost:9\r\n")).status == 403);
  CHECK(s.ask(request("POST /echo", "Origin: http://localhost\r\n")).status == 200);
  CHECK(s.ask(get("/ok", "Origin: http://evil.example\r\n")).status == 200);
}

TEST_CASE("open mode is for this machine only", "[semantics]") {
  test_routes s;
  const auto with_host = [&](const std::string& host) {
    return s.ask("GET /ok HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status;
  };
  for (const auto* local : {"localhost", "LocalHost:1", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:8080"})
    CHECK(with_host(local) == 200);
  for (const auto* other : {"example.org", "localhost.example.org", "127.0.0.1.example.org", "127.0.0.2", "[::2]",
                            "[::1:1]", "0.0.0.0", "localhost.", "xlocalhost"}) {
    INFO(other);
    CHECK(with_host(other) == 403);
  }
  CHECK(s.ask("GET /ok HTTP/1.0\r\n\r\n").status == 403);
  for (const auto* field : {"Forwarded: for=1.2.3.4", "X-Forwarded-For: 1.2.3.4", "x-forwarded-host: a",
                            "X-Forwarded-Proto: https", "X-FORWARDED-ANYTHING: x"}) {
    INFO(field);
    const auto a = s.ask(get("/ok", field + std::string{"\r\n"}));
    CHECK(a.status == 403);
    CHECK(code_of(a) == "FORBIDDEN");
  }
  // An unknown path is reported first.
  CHECK(s.ask(get("/nope", "Forwarded: for=1.2.3.4\r\n")).status == 404);
}

TEST_CASE("proxies that are named may forward", "[semantics]") {
  const std::string forwarded = "X-Forwarded-For: 1.2.3.4\r\n";
  {
    test_routes s{[](config::settings& x) { x.http_trusted_proxies = {"10.0.0.0/8", "127.0.0.0/29"}; }};
    CHECK(s.ask(get("/ok", forwarded)).status == 200);
    CHECK(s.ask("GET /ok HTTP/1.1\r\nHost: example.org\r\n\r\n").status == 403);
  }
  test_routes s{[](config::settings& x) { x.http_trusted_proxies = {"127.0.0.8/29", "::1", "10.1.2.3"}; }};
  CHECK(s.ask(get("/ok", forwarded)).status == 403);
}

TEST_CASE("answers are of a type that is accepted", "[semantics]") {
  test_routes s;
  const auto status = [&](const std::string& accept, const std::string& path = "/ok") {
    return s.ask(get(path, "Accept: " + accept + "\r\n")).status;
  };
  for (const auto* fine : {"*/*", "application/json", "application/*", "APPLICATION/JSON", "text/html, */*;q=0.1",
                           "text/html,application/json;q=0.5", "application/problem+json", "",
                           "application/json; charset=utf-8", "text/html;q=0, */*"}) {
    INFO(fine);
    CHECK(status(fine) == 200);
  }
  for (const auto* none : {"text/html", "text/*", "application/xml", "application/json;q=0", "application/json; q=0.0",
                           "*/*;q=0", "application/json;q=0, */*", "json", "application/jsonx"}) {
    INFO(none);
    CHECK(status(none) == 406);
  }
  CHECK(s.ask(get("/ok", "Accept: text/html\r\nAccept: application/json\r\n")).status == 200);
  CHECK(status("text/event-stream", "/stream") == 200);
  CHECK(status("text/html", "/stream") == 406);
}

TEST_CASE("bodies are JSON", "[semantics]") {
  test_routes s;
  for (const auto* fine : {"application/json", "Application/JSON", "application/json;charset=utf-8",
                           "application/json ; charset=\"UTF-8\"", "application/json;"}) {
    INFO(fine);
    CHECK(s.ask(post("/echo", "{}", "Content-Type: " + std::string{fine} + "\r\n")).status == 200);
  }
  for (const auto* other :
       {"text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "application/json; charset=latin1", "application/jsonx", "application/problem+json", ""}) {
    INFO(other);
    const auto a = s.ask(post("/echo", "{}", "Content-Type: " + std::string{other} + "\r\n"));
    CHECK(a.status == 415);
    CHECK(code_of(a) == "UNSUPPORTED_MEDIA_TYPE");
  }
  CHECK(s.ask(post("/echo", "{}", "")).status == 415);
  CHECK(s.ask(post("/echo", "{}", json + "Content-Encoding: gzip\r\n")).status == 415);
  CHECK(s.ask(post("/echo", "{}", json + "Content-Encoding: identity\r\n")).status == 200);
  // No body and no type is an empty object.
  CHECK(s.ask(request("POST /echo")).body == "{}");
  CHECK(s.ask(request("POST /echo", "Content-Length: 0\r\n")).body == "{}");
  CHECK(s.ask(request("PUT /echo", json)).body.empty());
}

TEST_CASE("checks come in the order that callers rely on", "[semantics]") {
  test_routes s;
  const std::string all_wrong = "Forwarded: for=x\r\nAccept: text/html\r\nContent-Type: text/plain\r\n";
  CHECK(s.ask(request("POST /nope?%", "Expect: x\r\n" + all_wrong, "x")).status == 417);
  CHECK(s.ask(request("POST /nope?%", all_wrong, "x")).status == 404);
  CHECK(s.ask(request("POST /ok?%", all_wrong, "x")).status == 405);
  CHECK(s.ask(request("POST /echo?%", all_wrong, "x")).status == 403);
  CHECK(s.ask(request("POST /echo?%", "Accept: text/html\r\nContent-Type: text/plain\r\n", "x")).status == 406);
  CHECK(s.ask(request("POST /echo?%", "Content-Type: text/plain\r\nContent-Length: 9999999\r\n")).status == 415);
  CHECK(s.ask(request("POST /echo?%", json + "Content-Length: 9999999\r\n")).status == 413);
  CHECK(s.ask(request("POST /echo?%", json, "x")).status == 400);
}

TEST_CASE("refusals have one form, or RFC 9457 where it is asked for", "[semantics]") {
  test_routes s;
  const auto a = s.ask(get("/refusing", "X-Request-Id: r-1\r\n"));
  CHECK(a.status == 409);
  CHECK(a.headers.at("content-type") == "application/json");
  CHECK(a.body == R"({"error":{"code":"CONFLICT","message":"taken","details":[{"path":"name","problem":"is taken"}]},)"
                  R"("message":"taken","requestId":"r-1"})");
  const auto p = s.ask(get("/refusing", "X-Request-Id: r-1\r\nAccept: application/problem+json\r\n"));
  CHECK(p.headers.at("content-type") == "application/problem+json");
  CHECK(p.body == R"({"type":"about:blank","title":"Conflict","status":409,"detail":"taken","code":"CONFLICT",)"
                  R"("errors":[{"path":"name","problem":"is taken"}],"requestId":"r-1"})");
  const auto later = s.ask(get("/overloaded"));
  CHECK(later.status == 503);
  CHECK(code_of(later) == "NOT_APPLIED");
  CHECK(later.headers.count("retry-after") == 1);
}

TEST_CASE("an internal error is answered without its details", "[semantics]") {
  test_routes s;
  auto c = s.connect();
  const auto a = c.ask(get("/throwing"));
  CHECK(a.status == 500);
  CHECK(code_of(a) == "INTERNAL");
  CHECK_THAT(a.body, !Contains("secret"));
  CHECK(c.ask(get("/ok")).status == 200);
  CHECK(eventually([&] { return s.app->metrics.now().answers[5] == 1; }));
}

TEST_CASE("requests can be traced", "[semantics]") {
  test_routes s;
  const auto id = [&](const std::string& given) {
    return s.ask(get("/ok", "X-Request-Id: " + given + "\r\n")).headers.at("x-request-id");
  };
  CHECK(id("abc-123_:./") == "abc-123_:./");
  CHECK(id(std::string(128, 'x')) == std::string(128, 'x'));
  for (const auto& bad :
       {std::string(129, 'x'), std::string{"a b"}, std::string{"a\"b"}, std::string{"caf\xc3\xa9"}, std::string{}}) {
    const auto fresh = id(bad);
    CHECK(fresh != bad);
    CHECK(fresh.size() == 32);
  }
  CHECK(id("") != id(""));

  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const auto origin = [&](const std::string& parent) {
    return s.ask(get("/origin", "X-Request-Id: r-1\r\ntraceparent: " + parent + "\r\n")).body;
  };
  CHECK(origin("00-" + trace + "-00f067aa0ba902b7-01") == "anonymous|" + trace + "|r-1");
  for (const auto& bad :
       {"00-" + std::string(32, '0') + "-00f067aa0ba902b7-01", "00-" + trace + "-0000000000000000-01",
        "01-" + trace + "-00f067aa0ba902b7-01", "00-" + trace + "-00f067aa0ba902b7-0g",
        std::string{"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"}, std::string{"nonsense"}}) {
    INFO(bad);
    const auto fresh = origin(bad);
    CHECK(fresh.find(trace) == std::string::npos);
    CHECK(fresh.size() == 10 + 32 + 4);
  }
}

TEST_CASE("metrics count what was answered", "[semantics]") {
  test_routes s;
  auto c = s.connect();
  for (int i = 0; i < 10; ++i)
    c.ask(get("/ok"));
  c.ask(get("/nope"));
  c.ask(get("/slow"));
  CHECK(eventually([&] { return s.app->metrics.now().answers[2] == 11; }));
  const auto f = s.app->metrics.now();
  CHECK(f.answers[4] == 1);
  CHECK(f.connections_open == 1);
  CHECK(f.last_minute.count == 12);
  CHECK(f.last_minute.per_second > 0);
  CHECK(f.last_minute.p50_ms < 50);
  CHECK(f.last_minute.p99_ms > 250);
  CHECK(f.last_minute.p99_ms < 500);
}
