#include "http/api/queue/bodies.hpp"

#include "base/digest.hpp"
#include "http/api/bodies.hpp"
#include "http/transport/trace.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>

namespace callboard::http {
namespace {

constexpr std::size_t name_max = 128;
constexpr std::size_t queue_name_max = 64;

bool is_plain(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-'; }

bool is_name(std::string_view s) {
  return !s.empty() && s.size() <= name_max &&
         std::all_of(s.begin(), s.end(), [](char c) { return is_plain(c) || c == ':' || c == '/'; });
}

bool is_queue_name(std::string_view s) {
  return !s.empty() && s.size() <= queue_name_max && std::all_of(s.begin(), s.end(), is_plain);
}

/// low, normal, high or a weight.
std::optional<std::int64_t> weight_of(const std::string& priority) {
  if (priority == "\"low\"")
    return 1;
  if (priority == "\"normal\"")
    return 5;
  if (priority == "\"high\"")
    return 10;
  std::int64_t weight = 0;
  const auto* end = priority.data() + priority.size();
  const auto read = std::from_chars(priority.data(), end, weight);
  const bool fits = read.ec == std::errc{} && read.ptr == end && std::abs(weight) <= queue::weight_max;
  return fits ? std::optional{weight} : std::nullopt;
}

/// The same text for the same value, whatever the order of its members.
void append_canonical(std::string& out, const json_value& v) {
  using type = json_value::type;
  if (v.kind() != type::object && v.kind() != type::array) {
    out += v.dump();
    return;
  }
  std::vector<json_value> items;
  for (auto item = v.first(); item; item = item->next())
    items.push_back(*item);
  if (v.kind() == type::object)
    std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.key() < b.key(); });
  out += v.kind() == type::object ? '{' : '[';
  for (const auto& item : items) {
    if (v.kind() == type::object)
      write_json(out, item.key());
    append_canonical(out, item);
    out += ',';
  }
  out += v.kind() == type::object ? '}' : ']';
}

std::string canonical(const std::optional<std::string>& object) {
  std::string out, why;
  const auto document = object ? json_document::parse(*object, why, {.depth = 64, .values = SIZE_MAX}) : std::nullopt;
  if (document)
    append_canonical(out, document->root());
  return document ? out : "{}";
}

std::int64_t content_of(const queue::new_job& j) {
  persistence::digest d;
  d.add(j.type).add(j.weight).add(j.max_attempts).add(j.run_at ? to_ms(*j.run_at) : -1).add(j.ttl_s.value_or(0));
  d.add(j.unique_key.value_or("")).add(canonical(j.data_text)).add(canonical(j.metadata_text));
  const auto sum = d.take();
  std::int64_t out = 0;
  std::memcpy(&out, sum.data(), sizeof out);
  return out;
}

/// Turns bodies into jobs and collects what is wrong with them.
class intake {
public:
  explicit intake(std::string prefix) : prefix_{std::move(prefix)} {}

  queue::new_job job(new_job_body b) {
    queue::new_job j;
    if (b.id && !is_name(*b.id))
      complain("id", "must match [A-Za-z0-9_.:/-]{1,128}");
    if (!is_name(b.type))
      complain("job_type", "must match [A-Za-z0-9_.:/-]{1,128}");
    j.id = b.id ? std::move(*b.id) : fresh_uuid();
    j.type = std::move(b.type);
    const auto priority = b.priority ? b.priority->text : "\"normal\"";
    const auto weight = weight_of(priority);
    if (!weight)
      complain("priority", "must be low, normal, high or an integer from -100 to 100");
    j.weight = weight.value_or(0);
    j.priority = priority;
    j.max_attempts = b.max_attempts.value_or(4);
    j.run_at = b.run_at;
    j.ttl_s = b.ttl_s;
    j.unique_key = std::move(b.unique_key);
    j.data_text = object("data", std::move(b.data));
    j.metadata_text = object("metadata", std::move(b.metadata));
    check_size("data and metadata together",
               (j.data_text ? j.data_text->size() : 0) + (j.metadata_text ? j.metadata_text->size() : 0),
               data_bytes_max);
    j.content = content_of(j);
    return j;
  }

  void complain(std::string_view what, std::string problem) {
    problems.push_back({prefix_ + std::string{what}, std::move(problem)});
  }
  std::vector<callboard::problem> problems;

private:
  std::optional<std::string> object(std::string_view what, std::optional<raw_json> value) {
    if (!value)
      return std::nullopt;
    if (!value->text.starts_with('{'))
      complain(what, "must be an object");
    return std::move(value->text);
  }

  std::string prefix_;
};

std::string queue_of(const std::optional<std::string>& name) {
  return name.value_or(std::string{queue::default_queue});
}

wanted_jobs one_job(new_job_body b) {
  wanted_jobs out{queue_of(b.queue), {{}, true}, b.id.has_value()};
  check_queue("queue", out.queue);
  intake in{""};
  out.command.jobs.push_back(in.job(std::move(b)));
  if (!in.problems.empty())
    invalid(std::move(in.problems));
  return out;
}

/// A batch is one decision of one queue.
wanted_jobs many_jobs(new_jobs_body b) {
  if (b.jobs.empty() || b.jobs.size() > queue::batch_max)
    invalid("jobs", "must have 1 to " + std::to_string(queue::batch_max) + " items");
  wanted_jobs out{queue_of(b.queue ? b.queue : b.jobs.front().queue), {}, false};
  check_queue("queue", out.queue);
  std::vector<problem> problems;
  for (std::size_t i = 0; i < b.jobs.size(); ++i) {
    auto& body = b.jobs[i];
    intake in{"jobs[" + std::to_string(i) + "]."};
    if (queue_of(body.queue ? body.queue : b.queue) != out.queue)
      in.complain("queue", "must be the same for all jobs of a batch");
    out.names_ids = out.names_ids || body.id;
    out.command.jobs.push_back(in.job(std::move(body)));
    problems.insert(problems.end(), in.problems.begin(), in.problems.end());
  }
  if (!problems.empty())
    invalid(std::move(problems));
  return out;
}

}  // namespace

wanted_jobs jobs_in(const request_context& x) {
  const auto document = parsed_body(x, body_size::bulk);
  const auto root = document.root();
  if (!root.find("jobs")) {
    auto b = read_as<new_job_body>(root);
    idempotency_key(x);
    return one_job(std::move(b));
  }
  auto b = read_as<new_jobs_body>(root);
  idempotency_key(x);
  return many_jobs(std::move(b));
}

wanted_claim claim_in(const request_context& x) {
  auto b = body_of<work_claim_body>(x);
  wanted_claim out{
      queue_of(b.queue),
      {std::move(b.worker), std::move(b.types), b.limit.value_or(1), b.lease_s.value_or(60), b.wait_s.value_or(0)}};
  check_queue("queue", out.queue);
  if (out.command.types)
    for (std::size_t i = 0; i < out.command.types->size(); ++i)
      if (!is_name((*out.command.types)[i]))
        invalid("job_types[" + std::to_string(i) + ']', "must match [A-Za-z0-9_.:/-]{1,128}");
  return out;
}

std::optional<lease_name> lease_in(std::string_view token) {
  const auto colon = token.rfind(':');
  if (colon == std::string_view::npos || !is_queue_name(token.substr(0, colon)))
    return std::nullopt;
  lease_name out{std::string{token.substr(0, colon)}, 0};
  const auto* end = token.data() + token.size();
  const auto read = std::from_chars(token.data() + colon + 1, end, out.token);
  return read.ec == std::errc{} && read.ptr == end && out.token > 0 ? std::optional{std::move(out)} : std::nullopt;
}

void check_job_name(std::string_view path, std::string_view name) {
  if (!is_name(name))
    invalid(std::string{path}, "must match [A-Za-z0-9_.:/-]{1,128}");
}

const std::string& job_id(const request_context& x) {
  check_job_name("id", x.parameters.at(0));
  return x.parameters.at(0);
}

std::optional<std::string> checked_queue(std::optional<std::string> name) {
  if (name)
    check_queue("queue", *name);
  return name;
}

void check_queue(std::string_view path, const std::string& name) {
  if (!is_queue_name(name))
    invalid(std::string{path}, "must match [A-Za-z0-9_.-]{1,64}");
}

std::string progress_in(const raw_json& value) {
  double number = -1;
  const auto* end = value.text.data() + value.text.size();
  const auto read = std::from_chars(value.text.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end || !(number >= 0 && number <= 1))
    invalid("progress", "must be a number from 0 to 1");
  return value.text;
}

void check_size(std::string_view what, std::size_t bytes, std::size_t most) {
  if (bytes > most)
    throw refused{{code::payload_too_large, std::string{what} + " may have " + std::to_string(most) + " bytes", {}}};
}

std::string fresh_uuid() {
  // Version 7: milliseconds, then a count within them, then chance.
  static std::atomic<std::uint64_t> last{0};
  using namespace std::chrono;
  const auto ms =
      static_cast<std::uint64_t>(duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
  auto before = last.load(std::memory_order_relaxed);
  auto mine = std::max(ms << 12, before + 1);
  while (!last.compare_exchange_weak(before, mine, std::memory_order_relaxed))
    mine = std::max(ms << 12, before + 1);
  char text[37];
  std::snprintf(text, sizeof text, "%08llx-%04llx-7%03llx-", static_cast<unsigned long long>(mine >> 28),
                static_cast<unsigned long long>((mine >> 12) & 0xffff), static_cast<unsigned long long>(mine & 0xfff));
  std::string out{text};
  out += "89ab"[random_below(4)];
  const auto chance = fresh_request_id();
  out.append(chance, 0, 3).append("-").append(chance, 3, 12);
  return out;
}

}  // namespace callboard::http
