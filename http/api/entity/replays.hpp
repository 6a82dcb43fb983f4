#pragma once

#include "base/instant.hpp"
#include "http/api/pages.hpp"
#include "http/transport/request_context.hpp"

#include <optional>
#include <string>

/// The past, folded from the journal.
namespace callboard::http {

struct replay_query {
  std::optional<instant> as_of;
  static constexpr auto fields = std::tuple{field{"asOf", &replay_query::as_of}};
};

struct pipeline_replay_query {
  std::optional<instant> as_of;
  std::optional<std::int64_t> limit;
  std::optional<std::string> cursor;
  static constexpr auto fields = std::tuple{field{"asOf", &pipeline_replay_query::as_of},
                                            field{"limit", &pipeline_replay_query::limit, limit_bounds},
                                            field{"cursor", &pipeline_replay_query::cursor}};
};

/// An opening's lists and events as of a moment.
task<response> replay_pipeline(request_context& x);
/// Any entity's state as of a moment.
task<response> replay_entity(request_context& x);

}  // namespace callboard::http
