#include "http/transport/responses.hpp"

#include "base/json_write.hpp"
#include "http/transport/head_check.hpp"
#include "http/transport/trace.hpp"

#include <charconv>
#include <ctime>

namespace callboard::http {

namespace {

struct status_phrase {
  int status;
  std::string_view phrase;
};

constexpr auto phrases = std::to_array<status_phrase>({
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {503, "Service Unavailable"},
});

void append_number(std::string& out, std::size_t n) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
}

/// `Date: Sun, 06 Nov 1994 08:49:37 GMT`, made anew once a second.
std::string_view date_line() {
  thread_local std::time_t made_at = 0;
  thread_local std::string line;
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != made_at) {
    static constexpr std::string_view days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr std::string_view months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    made_at = now.tv_sec;
    std::tm utc{};
    gmtime_r(&made_at, &utc);
    const auto two = [](int n) {
      return std::string{static_cast<char>('0' + n / 10), static_cast<char>('0' + n % 10)};
    };
    line = "Date: ";
    line += days[utc.tm_wday];
    line += ", " + two(utc.tm_mday) + " ";
    line += months[utc.tm_mon];
    line += " " + std::to_string(1900 + utc.tm_year) + " " + two(utc.tm_hour) + ":" + two(utc.tm_min) + ":" +
            two(utc.tm_sec) + " GMT\r\n";
  }
  return line;
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  const auto at = out.size();
  out += value;
  // A line end inside a value would begin another header or another answer.
  for (auto i = at; i < out.size(); ++i)
    if (static_cast<unsigned char>(out[i]) < 0x20 || out[i] == 0x7f)
      out[i] = ' ';
  out += "\r\n";
}

bool has(const response& r, std::string_view name) {
  for (const auto& [field, value] : r.headers)
    if (equal_ignoring_case(field, name))
      return true;
  return false;
}

void append_details(std::string& out, const std::vector<problem>& details) {
  if (details.empty())
    out += "null";
  else
    write_json(out, details);
}

}  // namespace

std::string_view phrase_of(int status) {
  for (const auto& p : phrases)
    if (p.status == status)
      return p.phrase;
  return "Unknown";
}

std::string error_body(const refusal& why, std::string_view request_id, bool problem_json) {
  std::string out;
  const auto member = [&](std::string_view before, std::string_view text) {
    out += before;
    write_json_string(out, text);
  };
  if (problem_json) {
    member("{\"type\":\"about:blank\",\"title\":", phrase_of(status_of(why.what)));
    out += ",\"status\":";
    append_number(out, static_cast<std::size_t>(status_of(why.what)));
    member(",\"detail\":", why.message);
    member(",\"code\":", name(why.what));
    out += ",\"errors\":";
    append_details(out, why.details);
  } else {
    member("{\"error\":{\"code\":", name(why.what));
    member(",\"message\":", why.message);
    out += ",\"details\":";
    append_details(out, why.details);
    member("},\"message\":", why.message);
  }
  member(",\"requestId\":", request_id);
  out += '}';
  return out;
}

response to_response(const refusal& why, std::string_view request_id, bool problem_json) {
  response r{status_of(why.what), error_body(why, request_id, problem_json)};
  if (problem_json)
    r.headers.emplace_back("Content-Type", "application/problem+json");
  // Jitter, so that clients that were refused together do not retry together.
  if (r.status == 429 || r.status == 503)
    r.headers.emplace_back("Retry-After", std::to_string(1 + random_below(3)));
  return r;
}

void append_answer(std::string& out, const response& r, const answer_form& form) {
  const bool bodiless = r.status == 204 || r.status == 304;
  out.reserve(out.size() + 512 + r.body.size());
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(r.status));
  out += ' ';
  out += phrase_of(r.status);
  out += "\r\n";
  out += date_line();
  for (const auto& [field, value] : r.headers)
    append_field(out, field, value);
  if (!bodiless) {
    if (!has(r, "content-type"))
      out += "Content-Type: application/json\r\n";
    if (!r.stream) {
      out += "Content-Length: ";
      append_number(out, r.body.size());
      out += "\r\n";
    } else if (form.is_chunked) {
      out += "Transfer-Encoding: chunked\r\n";
    }
  }
  if (!has(r, "cache-control"))
    out += "Cache-Control: no-store\r\n";
  out += "X-Content-Type-Options: nosniff\r\nX-Request-Id: ";
  out += form.request_id;
  out += "\r\n";
  if (!form.shared_with.empty()) {
    append_field(out, "Access-Control-Allow-Origin", form.shared_with);
    out += "Access-Control-Expose-Headers: Date, ETag, Idempotency-Replayed, Link, Location, "
           "Retry-After, X-Request-Id\r\nVary: Origin\r\n";
  }
  if (form.closes)
    out += "Connection: close\r\n";
  else if (form.tells_keep_alive)
    out += "Connection: keep-alive\r\n";
  out += "\r\n";
  if (!bodiless && !form.head_only)
    out += r.body;
}

void append_chunk(std::string& out, std::string_view bytes) {
  char digits[16];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, bytes.size(), 16).ptr);
  out += "\r\n";
  out += bytes;
  out += "\r\n";
}

}  // namespace callboard::http
