#pragma once

#include "base/instant.hpp"
#include "http/api/pages.hpp"
#include "http/transport/request_context.hpp"
#include "http/transport/schema.hpp"

#include <optional>
#include <string>

/// The journal for people.
namespace callboard::http {

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

struct audit_page {
  rows_text<audited_event> events;
  std::optional<std::string> next_cursor;
  static constexpr auto fields =
      std::tuple{field{"events", &audit_page::events}, field{"next_cursor", &audit_page::next_cursor}};
};

struct audit_query {
  std::optional<std::int64_t> limit;
  std::optional<std::string> cursor;
  std::optional<std::string> kind;
  std::optional<std::string> key;
  std::optional<instant> since;
  std::optional<instant> until;
  static constexpr auto fields = std::tuple{field{"limit", &audit_query::limit, limit_bounds},
                                            field{"cursor", &audit_query::cursor},
                                            field{"kind", &audit_query::kind},
                                            field{"key", &audit_query::key},
                                            field{"since", &audit_query::since},
                                            field{"until", &audit_query::until}};
};

task<response> show_audit(request_context& x);

}  // namespace callboard::http
