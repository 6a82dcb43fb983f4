#pragma once

#include "actors/decision.hpp"
#include "base/sql.hpp"
#include "messages/outcome.hpp"

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace callboard::persistence {
class reader;
}

namespace callboard {

using row_sink = std::function<void(const row&)>;
using orphan_sink = std::function<void(std::string_view table, const std::string& id)>;

/// What the machinery needs of a kind. The first half are its rules (pure), the second half says how it rests in the
/// store; all of it lives in the kind's folder. Optional parts: `settings`, `can_wait` (actors/waiters.hpp),
/// `has_outbox` (actors/effect.hpp), `maintained` (below), `names_actor` (below), a front (actors/front.hpp).
template <class Kind>
concept kind_of_entity = requires(decision<Kind>& d, const typename Kind::command& c, typename Kind::state& s,
                                  const typename Kind::event& e, typename Kind::changes& changed,
                                  std::vector<row>& rows, persistence::reader& from, const std::string& key,
                                  const std::vector<std::string>& keys, const row_sink& sink,
                                  const orphan_sink& orphans) {
  { Kind::name } -> std::convertible_to<std::string_view>;
  { Kind::initial(key) } -> std::same_as<typename Kind::state>;
  { Kind::decide(d, c) } -> std::same_as<std::variant<typename Kind::result, refusal>>;
  Kind::evolve(s, e, d.now, changed);
  { Kind::deadline(s) } -> std::same_as<std::optional<instant>>;
  { Kind::subject(e) } -> std::same_as<std::optional<std::string>>;
  Kind::rows(s, changed, std::int64_t{}, rows);
  { Kind::weight(s) } -> std::convertible_to<std::size_t>;
  typename Kind::tick;

  // The states of those that exist, by key. Nobody writes to them meanwhile.
  { Kind::load(from, keys) } -> std::same_as<std::unordered_map<std::string, typename Kind::state>>;
  // Every row of an entity, to be compared with what its journal gives.
  Kind::stored_rows(from, key, sink);
  // Rows that belong to no entity with a journal.
  Kind::orphaned_rows(from, orphans);
  // The state as JSON, for replay and inspect; "null" when there was nothing at that time.
  { Kind::state_text(from, s, d.now, std::int64_t{}) } -> std::same_as<std::string>;
};

/// Commands that the store's rows ask for from time to time (retention), a bounded number; none when all is done.
template <class Kind>
concept maintained = requires(persistence::reader& from, instant now, const settings_of<Kind>& settings) {
  {
    Kind::maintenance(from, now, settings)
    } -> std::same_as<std::vector<std::pair<std::string, typename Kind::command>>>;
};

/// A kind whose commands name who acts, which counts while nobody is known (open mode).
template <class Kind>
concept names_actor = requires(const typename Kind::command& c) {
  { Kind::actor_of(c) } -> std::same_as<std::optional<principal>>;
};

}  // namespace callboard
