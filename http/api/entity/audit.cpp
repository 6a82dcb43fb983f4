#include "http/api/entity/audit.hpp"

#include "http/api/ask.hpp"
#include "http/api/bodies.hpp"
#include "http/api/pages.hpp"
#include "persistence/history.hpp"

namespace callboard::http {
namespace {

struct audited_actor {
  std::string type;
  std::string id;
  static constexpr auto fields = std::tuple{field{"type", &audited_actor::type}, field{"id", &audited_actor::id}};
};

struct audited_event {
  std::int64_t position = 0;
  std::string kind;
  std::string key;
  std::int64_t seq = 0;
  std::string type;
  instant at;
  audited_actor actor;
  std::optional<std::string> reason;
  std::optional<std::string> trace;
  std::optional<std::string> request;
  raw_json data;
  static constexpr auto fields =
      std::tuple{field{"position", &audited_event::position}, field{"kind", &audited_event::kind},
                 field{"key", &audited_event::key},           field{"seq", &audited_event::seq},
                 field{"type", &audited_event::type},         field{"at", &audited_event::at},
                 field{"actor", &audited_event::actor},       field{"reason", &audited_event::reason},
                 field{"traceId", &audited_event::trace},     field{"requestId", &audited_event::request},
                 field{"data", &audited_event::data}};
};

std::optional<std::string> unless_empty(std::string text) {
  return text.empty() ? std::nullopt : std::optional{std::move(text)};
}

audited_event shown(persistence::journal_entry e) {
  return {e.position,
          std::move(e.kind),
          std::move(e.key),
          e.seq,
          std::move(e.type),
          e.at,
          {std::move(e.by.actor_type), std::move(e.by.actor_id)},
          unless_empty(std::move(e.by.reason)),
          unless_empty(std::move(e.by.trace)),
          unless_empty(std::move(e.by.request)),
          {std::move(e.data)}};
}

/// The members of an audit's answer, rendered where it was read.
array audited(persistence::reader& from, const persistence::audit_filter& filter, const page& wanted) {
  auto found = persistence::audit(from, filter, wanted.after[0], wanted.limit.value_or(object_rows), page_bytes_max);
  array out{R"({"events":[)", std::nullopt};
  for (auto& e : found.events) {
    out.text += out.text.back() == '[' ? "" : ",";
    write_json(out.text, shown(std::move(e)));
  }
  out.text += R"(],"next_cursor":)";
  if (found.next)
    out.next = cursor{*found.next};
  write_json(out.text, out.next ? std::optional{cursor_text(*out.next)} : std::nullopt);
  out.text += '}';
  return out;
}

}  // namespace

task<response> show_audit(request_context& x) {
  const auto wanted = page_of(x, 1);
  const persistence::audit_filter filter{query_text(x, "kind"), query_text(x, "key"), query_time(x, "since"),
                                         query_time(x, "until")};
  const auto question = [wanted, filter](persistence::reader& from) { return audited(from, filter, wanted); };
  auto events = co_await read(x, question);
  co_return to_response(x, std::move(events));
}

}  // namespace callboard::http
