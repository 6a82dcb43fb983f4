#include "actors/inspect.hpp"

#include "actors/registry.hpp"
#include "base/hex.hpp"
#include "base/json_write.hpp"

#include <cstdint>
#include <optional>

namespace callboard::actors {
namespace {

struct head_view {
  std::int64_t seq = 0;
  instant at;
  std::string hash;
  static constexpr auto fields =
      std::tuple{field{"seq", &head_view::seq}, field{"at", &head_view::at}, field{"hash", &head_view::hash}};
};

struct entity_view {
  std::string kind;
  std::string key;
  head_view head;
  std::int64_t journal_entries = 0;
  std::optional<instant> timer;  ///< when it is due
  std::int64_t state_seq = 0;    ///< beyond the head's when a server wrote meanwhile
  std::vector<std::string> unanswered_effects;
  raw_json state;
  static constexpr auto fields = std::tuple{field{"kind", &entity_view::kind},
                                            field{"key", &entity_view::key},
                                            field{"head", &entity_view::head},
                                            field{"journal_entries", &entity_view::journal_entries},
                                            field{"timer", &entity_view::timer},
                                            field{"state_seq", &entity_view::state_seq},
                                            field{"unanswered_effects", &entity_view::unanswered_effects},
                                            field{"state", &entity_view::state}};
};

/// One statement, because a server may write between two.
std::optional<entity_view> find_entity(persistence::reader& from, std::string_view kind, const std::string& key) {
  std::optional<entity_view> found;
  from.query("select h.seq, h.at, h.hash,"
             " (select count(*) from journal j where j.kind = h.kind and j.key = h.key),"
             " (select t.due from timers t where t.kind = h.kind and t.key = h.key)"
             " from heads h where h.kind = $1 and h.key = $2",
             {std::string{kind}, key}, [&](const persistence::result_row& r) {
               found.emplace();
               found->kind = kind;
               found->key = key;
               found->head = {r.integer(0), from_ms(r.integer(1)), persistence::to_hex(r.blob(2))};
               found->journal_entries = r.integer(3);
               if (!r.is_null(4))
                 found->timer = from_ms(r.integer(4));
             });
  return found;
}

}  // namespace

inspected inspect(persistence::store& store, std::string_view kind, const std::string& key, std::ostream& out) {
  auto past = past_of(kind, key, std::nullopt);
  if (!past)
    return inspected::no_such_kind;
  const auto from = store.open_reader();
  auto found = find_entity(*from, kind, key);
  if (!found)
    return inspected::no_such_entity;
  while (past->step(*from)) {
  }
  found->state = {past->state_text(*from, store.now(*from))};
  found->state_seq = past->seq();
  found->unanswered_effects = past->unanswered();
  out << to_json(*found) << '\n';
  return inspected::found;
}

}  // namespace callboard::actors
