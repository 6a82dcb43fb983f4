#include "base/hex.hpp"
#include "base/json.hpp"
#include "persistence/postgres/array_literal.hpp"
#include "persistence/postgres/store.hpp"

#include <utility>

// Finds the entities and names that made a batch fail, from the error that the statement raised.
namespace callboard::persistence {

namespace {

std::vector<std::pair<std::string, std::string>> pairs_of(const postgres_failure& f) {
  std::vector<std::pair<std::string, std::string>> out;
  std::string problem;
  const auto detail = json_document::parse(detail_of(f), problem);
  if (!detail)
    return out;
  for (auto item = detail->root().first(); item; item = item->next()) {
    const auto left = item->first();
    const auto right = left ? left->next() : std::nullopt;
    if (right)
      out.emplace_back(left->string(), right->string());
  }
  return out;
}

/// Adds the batch's own entity_id, whose kind outlives the result; nothing when the batch has no such entity.
void add_head(const batch& b, std::string_view kind, std::string_view key, std::vector<entity_id>& out) {
  for (const auto& h : b.heads)
    if (h.entity->kind == kind && h.entity->key == key) {
      out.push_back(*h.entity);
      return;
    }
}

std::vector<entity_id> all_heads(const batch& b) {
  std::vector<entity_id> out;
  for (const auto& h : b.heads)
    out.push_back(*h.entity);
  return out;
}

}  // namespace

commit_outcome postgres_store::heads_moved(const batch& b, const postgres_failure& f) const {
  commit_outcome out{.how = commit_status::head_moved, .why = loggable(f)};
  for (const auto& [kind, key] : pairs_of(f))
    add_head(b, kind, key, out.heads);
  if (out.heads.empty())
    out.heads = all_heads(b);
  return out;
}

commit_outcome postgres_store::names_taken(const batch& b, const postgres_failure& f) const {
  commit_outcome out{.how = commit_status::name_taken, .why = loggable(f)};
  for (auto& [table, name] : pairs_of(f))
    for (const auto& t : b.tables)
      if (t.in->name == table) {
        const bool is_hex = t.in->columns[t.in->name_column].type == column_type::bytes;
        out.names.push_back({t.in, is_hex ? from_hex(name) : name});
      }
  return out;
}

commit_outcome postgres_store::journal_collided(const batch& b, const postgres_failure& f) {
  // The heads had the expected seq and yet the journal has such an event: another process writes without moving heads.
  std::string kinds, keys, seqs;
  append_array(kinds, b.lines, [&](const journal_line& l) { append_item(kinds, l.entity->kind); });
  append_array(keys, b.lines, [&](const journal_line& l) { append_item(keys, std::string_view{l.entity->key}); });
  append_array(seqs, b.lines, [&](const journal_line& l) { append_item(seqs, l.seq); });
  commit_outcome out{.how = commit_status::head_moved, .why = "the journal already holds an event: " + loggable(f)};
  const char* const params[] = {kinds.c_str(), keys.c_str(), seqs.c_str()};
  const auto found = session_->run("select distinct j.kind, j.key from"
                                   " unnest($1::text[], $2::text[], $3::bigint[]) as l(kind, key, seq)"
                                   " join journal j on j.kind = l.kind and j.key = l.key and j.seq = l.seq",
                                   params);
  for (const auto& r : found)
    add_head(b, r[0].c_str(), r[1].c_str(), out.heads);
  if (out.heads.empty())
    out.heads = all_heads(b);
  return out;
}

}  // namespace callboard::persistence
