#include "config/options.hpp"

#include "config/forms.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

namespace callboard::config {

namespace {

constexpr int hour_ms = 3'600'000;

const std::vector<option> table{
    {"store", text{&settings::store, is_store, "sqlite:PATH, sqlite::memory: or postgresql://USER@HOST/NAME"},
     "Where data is stored: a SQLite file, memory (lost at exit), or a PostgreSQL database.", "DATABASE_URL"},

    {"http.address", text{&settings::http_address, is_address, "an IPv4 or IPv6 address such as 127.0.0.1 or ::1"},
     "Address to listen on."},
    {"http.port", integer_range{&settings::http_port, 0, 65535}, "Port to listen on; 0 takes any free one.", "PORT"},
    {"http.threads", integer_range{&settings::http_threads, 1, 64}, "Threads that read requests and write answers."},
    {"http.connections_max", integer_range{&settings::http_connections_max, 1, 1'000'000},
     "Open connections; further ones are closed at once."},
    {"http.requests_max", integer_range{&settings::http_requests_max, 1, 1'000'000},
     "Requests in flight; further ones are answered 503."},
    {"http.bodies_max_mib", integer_range{&settings::http_bodies_max_mib, 16, 65536},
     "Memory for the bodies of all requests in flight."},
    {"http.entity_requests_max", integer_range{&settings::http_entity_requests_max, 1, 1'000'000},
     "Requests in flight for one entity; further ones are answered 503."},
    {"http.body_max_kib", integer_range{&settings::http_body_max_kib, 1, 16384},
     "Largest body of one request; bulk routes take 16 MiB."},
    {"http.head_timeout_ms", integer_range{&settings::http_head_timeout_ms, 100, hour_ms},
     "How long the head of a request may take to arrive."},
    {"http.body_timeout_ms", integer_range{&settings::http_body_timeout_ms, 100, hour_ms},
     "How long the body of a request may take to arrive."},
    {"http.write_timeout_ms", integer_range{&settings::http_write_timeout_ms, 100, hour_ms},
     "How long a client may leave an answer unread."},
    {"http.idle_timeout_ms", integer_range{&settings::http_idle_timeout_ms, 100, hour_ms},
     "How long a connection may stay open between two requests."},
    {"http.drain_timeout_ms", integer_range{&settings::http_drain_timeout_ms, 0, hour_ms},
     "How long a stopping server waits for requests in flight."},
    {"http.cors_origins",
     text_list{&settings::http_cors_origins, is_origin, "origins such as https://jobs.example.org"},
     "Web origins whose pages may call the API; empty allows the server's own only."},
    {"http.trusted_proxies",
     text_list{&settings::http_trusted_proxies, is_network, "addresses or networks such as 10.0.0.7 or 10.0.0.0/8"},
     "Proxies whose Forwarded and X-Forwarded-* headers are trusted; empty trusts none."},

    {"command.deadline_ms", integer_range{&settings::command_deadline_ms, 100, 600'000},
     "How long a command may wait for its decision, counted from the head of its request."},

    {"auth.mode", one_of{&settings::auth_mode, {"open"}},
     "Who may call: open lets in everybody who can connect, so it listens on loopback only."},

    {"actors.threads", integer_range{&settings::actors_threads, 1, 64}, "Threads that run the actors."},
    {"actors.residents_max", integer_range{&settings::actors_residents_max, 100, 10'000'000},
     "Entities kept in memory; the least recently used leave first."},
    {"actors.state_max_mib", integer_range{&settings::actors_state_max_mib, 16, 1'048'576},
     "Estimated memory for the state of all entities; the least recently used leave first."},
    {"actors.idle_ms", integer_range{&settings::actors_idle_ms, 10, 24 * hour_ms},
     "How long an entity without work stays in memory."},

    {"writer.batch_events_max", integer_range{&settings::writer_batch_events_max, 1, 100'000}, "Events in one commit."},
    {"writer.batch_bytes_max_kib", integer_range{&settings::writer_batch_bytes_max_kib, 256, 65536},
     "Size of one commit; at least the largest event, 256 KiB."},
    {"writer.patience_ms", integer_range{&settings::writer_patience_ms, 100, hour_ms},
     "How long a commit may fail or be in doubt before its callers are answered."},

    {"readers.threads", integer_range{&settings::readers_threads, 1, 64},
     "Threads and connections that read from the store."},

    {"requests.retention_h", integer_range{&settings::requests_retention_h, 24, 8760},
     "How long the answer to an Idempotency-Key is stored."},

    {"board_jobs.tags", text_list{&settings::board_jobs_tags, is_tag, "words of 1 to 64 letters, digits, + # . or -"},
     "Words that become tags of a board job when its title or department contains them."},

    {"work.retention_s", integer_range{&settings::work_retention_s, 60, 31'536'000},
     "How long finished jobs of the work queue are stored."},
    {"work.backoff_ms", integer_range{&settings::work_backoff_ms, 1, hour_ms},
     "Pause before a failed job is tried again; doubles with each try up to 15 minutes."},
    {"work.backoff_by_type",
     text_list{&settings::work_backoff_by_type, is_type_and_ms, "job types with milliseconds such as send_mail=5000"},
     "The same per job type, where it differs."},

    {"log.level", one_of{&settings::log_level, {"debug", "info", "warn", "error"}},
     "The least important lines that are logged."},

    {"node.name", text{&settings::node_name, is_node_name, "1 to 64 letters, digits, dots, dashes or underscores"},
     "Name of this process among those that share the store."},
};

template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;  // clang 14 does not deduce aggregates

std::string_view trimmed(std::string_view written) {
  const auto first = written.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return written.substr(first, written.find_last_not_of(" \t") - first + 1);
}

bool store_in(settings& to, const integer_range& rule, std::string_view written) {
  int parsed = 0;
  const auto* end = written.data() + written.size();
  const auto [stop, problem] = std::from_chars(written.data(), end, parsed);
  if (problem != std::errc{} || stop != end || parsed < rule.least || parsed > rule.most)
    return false;
  to.*rule.member = parsed;
  return true;
}

bool store_in(settings& to, const one_of& rule, std::string_view written) {
  if (std::ranges::find(rule.choices, written) == rule.choices.end())
    return false;
  to.*rule.member = written;
  return true;
}

bool store_in(settings& to, const text& rule, std::string_view written) {
  if (!rule.accepts(written))
    return false;
  to.*rule.member = written;
  return true;
}

bool store_in(settings& to, const text_list& rule, std::string_view written) {
  std::vector<std::string> items;
  if (!trimmed(written).empty())
    for (std::size_t begin = 0; begin <= written.size();) {
      const auto end = std::min(written.find(',', begin), written.size());
      items.emplace_back(trimmed(written.substr(begin, end - begin)));
      begin = end + 1;
    }
  if (!std::ranges::all_of(items, rule.accepts))
    return false;
  to.*rule.member = std::move(items);
  return true;
}

std::string joined(const auto& items, std::string_view separator) {
  std::string line;
  for (const auto& word : items)
    line.append(line.empty() ? "" : separator).append(word);
  return line;
}

// Levenshtein distance: how many letters to insert, remove or change.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const auto changed = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string option::variable() const {
  std::string upper = "CALLBOARD_";
  for (const char letter : name)
    upper += letter == '.' ? '_' : letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  return upper;
}

std::string_view option::group() const { return name.substr(0, name.find('.')); }

std::string option::expected() const {
  return std::visit(
      overloaded{
          [](const integer_range& rule) {
            return "a whole number from " + std::to_string(rule.least) + " to " + std::to_string(rule.most);
          },
          [](const one_of& rule) { return (rule.choices.size() > 1 ? "one of " : "") + joined(rule.choices, ", "); },
          [](const text& rule) { return std::string{rule.expected}; },
          [](const text_list& rule) { return "nothing or, separated by commas, " + std::string{rule.expected}; }},
      value);
}

std::string option::shown(const settings& from) const {
  return std::visit(overloaded{[&](const integer_range& rule) { return std::to_string(from.*rule.member); },
                               [&](const text_list& rule) { return joined(from.*rule.member, ", "); },
                               [&](const auto& rule) { return from.*rule.member; }},
                    value);
}

bool option::assign(settings& to, std::string_view written) const {
  return std::visit([&](const auto& rule) { return store_in(to, rule, written); }, value);
}

std::span<const option> options() { return table; }

const option* find_option(std::string_view name) {
  const auto found = std::ranges::find(table, name, &option::name);
  return found == table.end() ? nullptr : &*found;
}

const option* nearest_option(std::string_view name) {
  const auto by_last_word = std::ranges::find_if(
      table, [&](const option& candidate) { return candidate.name.substr(candidate.name.find('.') + 1) == name; });
  if (by_last_word != table.end())
    return &*by_last_word;
  const auto distance_to = [&](const option& candidate) { return distance(name, candidate.name); };
  const auto nearest = std::ranges::min_element(table, {}, distance_to);
  return distance_to(*nearest) <= std::max<std::size_t>(2, name.size() / 4) ? &*nearest : nullptr;
}

}  // namespace callboard::config
