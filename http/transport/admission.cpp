#include "http/transport/admission.hpp"

#include "http/transport/media.hpp"
#include "http/transport/percent.hpp"
#include "http/transport/trace.hpp"

#include <algorithm>

namespace callboard::http {

namespace {

constexpr std::uint64_t bulk_bytes = 16 << 20;
constexpr std::size_t kept_bytes_max = 64 << 10;

refusal no(code what, std::string message) { return {what, std::move(message), {}}; }

}  // namespace

admission::admission(const server_context& e, boost::asio::io_context& io, const boost::asio::ip::address& peer)
    : x{e.app, io, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, &permit}, server_context_{e}, peer_{peer} {}

void admission::without_head(clock::time_point now) {
  head = {};
  head.keep_alive = false;
  x.method = {};
  x.headers.clear();
  x.request_id = fresh_request_id();
  to = nullptr;
  allow.clear();
  shared_with = {};
  began = now;
  is_head = false;
  wants_problem_json = false;
}

std::optional<refusal> admission::read_head(std::string_view bytes, clock::time_point now) {
  if (const auto fault = check_head(bytes, head)) {
    without_head(now);
    return no(fault->what, std::string{fault->reason});
  }
  began = now;
  to = nullptr;
  allow.clear();
  is_head = head.method == "HEAD";
  x.method = is_head ? std::string_view{"GET"} : head.method;
  const auto mark = std::min(head.target.find('?'), head.target.size());
  x.path = head.target.substr(0, mark);
  x.query_text = head.target.substr(std::min(mark + 1, head.target.size()));
  x.headers.swap(head.fields);
  x.arrived = now;
  x.deadline = now + std::chrono::milliseconds{server_context_.state.settings.command_deadline_ms};
  const auto given = x.header("x-request-id");
  x.request_id = is_request_id(given) ? std::string{given} : fresh_request_id();
  wants_problem_json = std::any_of(x.headers.begin(), x.headers.end(), [](const auto& h) {
    return equal_ignoring_case(h.first, "accept") && names_type(h.second, "application/problem+json");
  });
  const auto origin = x.header("origin");
  shared_with = !origin.empty() && server_context_.access.shares_with(origin) ? origin : "";
  return std::nullopt;
}

std::optional<refusal> admission::admit() {
  if (auto why = find_route())
    return why;
  if (auto why = server_context_.access.refuse(x, peer_))
    return why;
  if (to) {
    if (auto why = check_media())
      return why;
  } else if (head.has_body())
    return no(code::validation_error, "OPTIONS takes no body");
  return take_permit();
}

std::optional<refusal> admission::find_route() {
  using outcome = route_table::outcome;
  auto match = server_context_.routes.find(x.method, x.path, segments_, x.parameters);
  to = match.found;
  allow = std::move(match.allow);
  if (match.is == outcome::malformed_path)
    return no(code::validation_error, "the path is not percent-encoded UTF-8 without NUL");
  if (match.is == outcome::unknown_path)
    return no(code::not_found, "there is nothing at this path");
  if (match.is == outcome::other_method && x.method != "OPTIONS")
    return no(code::method_not_allowed, "this path does not know the method");
  return std::nullopt;
}

bool admission::is_acceptable(std::string_view type) const {
  bool is_asked = false;
  for (const auto& [field, value] : x.headers)
    if (equal_ignoring_case(field, "accept") && !value.empty()) {
      if (accepts(value, type))
        return true;
      is_asked = true;
    }
  return !is_asked;
}

std::optional<refusal> admission::check_media() {
  if (!is_acceptable(to->produces) && !is_acceptable("application/json") && !wants_problem_json)
    return no(code::not_acceptable, "answers are " + std::string{to->produces});
  if (!head.has_body())
    return std::nullopt;
  if (!is_json_type(x.header("content-type")))
    return no(code::unsupported_media_type, "the body must be application/json in UTF-8");
  if (const auto coding = x.header("content-encoding"); !coding.empty() && !equal_ignoring_case(coding, "identity"))
    return no(code::unsupported_media_type, "the body must not be compressed");
  const auto usual = std::uint64_t{1024} * static_cast<unsigned>(server_context_.state.settings.http_body_max_kib);
  body_bytes_max = to->is_bulk ? std::max(usual, bulk_bytes) : usual;
  if (head.content_length > body_bytes_max)
    return no(code::payload_too_large, "the body may have " + std::to_string(body_bytes_max) + " bytes");
  return std::nullopt;
}

std::optional<refusal> admission::take_permit() {
  const auto& settings = server_context_.state.settings;
  permit = server_context_.state.metrics.take(settings.http_requests_max);
  if (!permit)
    return no(code::overloaded, "too many requests are in flight");
  if (to &&
      !permit.grow(static_cast<std::int64_t>(head.content_length), std::int64_t{settings.http_bodies_max_mib} << 20))
    return no(code::overloaded, "too many bodies are in flight");
  return std::nullopt;
}

std::optional<refusal> admission::settle() {
  if (!decode_query(x.query_text, x.query))
    return no(code::validation_error, "the query is not percent-encoded UTF-8 without NUL");
  if (x.body.empty() && x.method != "GET" && x.header("content-type").empty())
    x.body = "{}";
  x.who = server_context_.access.identify(x);
  x.by = std::make_shared<const origin>(
      origin{x.who->type, x.who->id, {}, trace_id(x.header("traceparent")), x.request_id});
  return std::nullopt;
}

response admission::options() const {
  response r{204, {}, {{"Allow", allow}}};
  if (!shared_with.empty()) {
    r.headers.emplace_back("Access-Control-Allow-Methods", allow);
    r.headers.emplace_back("Access-Control-Allow-Headers",
                           "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, "
                           "Last-Event-ID, traceparent, X-Request-Id");
    r.headers.emplace_back("Access-Control-Max-Age", "600");
  }
  return r;
}

void admission::release() {
  permit.release();
  x.who.reset();
  x.by.reset();
  x.headers.swap(head.fields);
  // A connection must not keep the memory of one big body until it closes.
  if (x.body.capacity() > kept_bytes_max)
    x.body = std::string{};
  x.body.clear();
}

}  // namespace callboard::http
