#include "http/api/entity/audit.hpp"

#include "http/api/ask.hpp"
#include "http/api/pages.hpp"
#include "http/api/queries.hpp"
#include "persistence/history.hpp"

namespace callboard::http {
namespace {

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

/// Rendered on the thread that read it.
array audited(persistence::reader& from, const persistence::audit_filter& filter, const page& wanted) {
  auto found = persistence::audit(from, filter, wanted.after[0], wanted.limit.value_or(object_rows), page_bytes_max);
  audit_page page;
  auto& text = page.events.text;
  text = "[";
  for (auto& e : found.events) {
    text += text.size() == 1 ? "" : ",";
    write_json(text, shown(std::move(e)));
  }
  text += ']';
  array out;
  if (found.next) {
    out.next = cursor{*found.next};
    page.next_cursor = cursor_text(*out.next);
  }
  out.text = to_json(page);
  return out;
}

}  // namespace

task<response> show_audit(request_context& x) {
  const auto q = query_of<audit_query>(x);
  const auto wanted = page_of(q, 1);
  const persistence::audit_filter filter{q.kind, q.key, q.since, q.until};
  const auto question = [wanted, filter](persistence::reader& from) { return audited(from, filter, wanted); };
  auto events = co_await read(x, question);
  co_return to_response(x, std::move(events));
}

}  // namespace callboard::http
