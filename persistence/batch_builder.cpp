#include "persistence/batch_builder.hpp"

#include <algorithm>

namespace callboard::persistence {
namespace {

std::string key_of(const row& r) {
  std::string out;
  for (std::size_t i = 0; i < r.in->key_columns; ++i) {
    const auto part = text_of(r.values[i]);
    out += std::to_string(part.size());
    out += ':';
    out += part;
  }
  return out;
}

/// The owner columns of a row that carries a name; empty when the table has none.
std::string owner_of(const row& r) {
  std::string out;
  for (std::size_t i = 0; i < r.in->owner.count; ++i) {
    const auto part = text_of(r.values[r.in->owner.first + i]);
    out += std::to_string(part.size()) + ':' + part;
  }
  return out;
}

/// Combines two partial updates: a column that the later one leaves null comes from the earlier one.
row merged(const row& before, const row& after) {
  auto out = after;
  for (std::size_t i = 0; i < out.values.size(); ++i)
    if (std::holds_alternative<std::monostate>(out.values[i]))
      out.values[i] = before.values[i];
  return out;
}

table_rows& rows_in(batch& b, const table* t) {
  const auto it = std::find_if(b.tables.begin(), b.tables.end(), [&](const auto& r) { return r.in == t; });
  return it != b.tables.end() ? *it : b.tables.emplace_back(table_rows{t, {}, {}});
}

}  // namespace

std::string text_of(const sql_value& v) {
  if (const auto* i = std::get_if<std::int64_t>(&v))
    return std::to_string(*i);
  if (const auto* s = std::get_if<std::string>(&v))
    return *s;
  if (const auto* b = std::get_if<bytes>(&v))
    return b->data;
  if (const auto* t = std::get_if<bool>(&v))
    return *t ? "t" : "f";
  return {};
}

std::string name_of(const row& r) {
  return r.in->owner_predicate.empty() ? std::string{}
                                       : std::string{r.in->name} + '\0' + text_of(r.values[r.in->name_column]);
}

std::size_t batch_builder::bytes_of(const append& a) {
  std::size_t n = 0;
  for (const auto& e : a.events)
    n += e.data.size() + 200;
  for (const auto& r : a.rows)
    for (const auto& v : r.values)
      n += std::holds_alternative<std::string>(v) ? std::get<std::string>(v).size() + 8 : 16;
  return n;
}

bool batch_builder::meets_foreign_name(const append& a) const {
  return std::any_of(a.rows.begin(), a.rows.end(), [&](const row& r) {
    const auto name = name_of(r);
    if (name.empty())
      return false;
    const auto it = owners_.find(name);
    return it != owners_.end() && (r.in->owner.count == 0 || it->second != owner_of(r));
  });
}

bool batch_builder::take(append& a) {
  const auto bytes = bytes_of(a);
  const bool full = events_ + a.events.size() > events_max_ || bytes_ + bytes > bytes_max_;
  // An append is never split: one that is larger than a batch has a batch of its own.
  if ((full && writes_ && a.writes()) || meets_foreign_name(a))
    return false;
  for (const auto& r : a.rows)
    if (auto name = name_of(r); !name.empty())
      owners_.emplace(std::move(name), owner_of(r));
  events_ += a.events.size();
  bytes_ += bytes;
  writes_ = writes_ || a.writes();
  appends_.push_back(std::move(a));
  return true;
}

std::vector<append> batch_builder::finish(std::int64_t number, batch& out) {
  out = batch{number, {}, {}, {}, {}};
  std::unordered_map<entity_id, std::size_t> head_of;
  std::unordered_map<const table*, std::unordered_map<std::string, const row*>> last;
  for (auto& a : appends_) {
    for (std::size_t i = 0; i < a.events.size(); ++i) {
      const auto& e = a.events[i];
      out.lines.push_back({&a.entity, a.expected + 1 + static_cast<std::int64_t>(i), e.type, e.at, &e.subject,
                           a.by.get(), &e.data, &e.hash});
    }
    if (!a.events.empty()) {
      const auto& end = a.events.back();
      const auto [it, is_new] = head_of.try_emplace(a.entity, out.heads.size());
      if (is_new)
        out.heads.push_back({&a.entity, a.expected, a.seq(), end.at, &end.hash});
      auto& head = out.heads[it->second];
      head.seq = a.seq();
      head.at = end.at;
      head.hash = &end.hash;
    }
    for (const auto& r : a.rows) {
      auto& of_table = last[r.in];
      auto& slot = of_table[key_of(r)];
      // With first_writer_wins the first row of a key counts, otherwise the last one.
      if (slot && r.in->partial_update && !slot->erased && !r.erased)
        slot = &out.merged.emplace_back(merged(*slot, r));
      else if (!slot || !r.in->first_writer_wins)
        slot = &r;
    }
  }
  for (const auto& [t, of_table] : last) {
    auto& rows = rows_in(out, t);
    for (const auto& [key, r] : of_table)
      (r->erased ? rows.erasures : rows.upserts).push_back(r);
  }
  // A fixed order of tables, so that each set of tables needs one prepared statement only.
  std::sort(out.tables.begin(), out.tables.end(), [](const auto& a, const auto& b) { return a.in->name < b.in->name; });
  return std::move(appends_);
}

}  // namespace callboard::persistence
