#include "persistence/expected_rows.hpp"

#include "base/hex.hpp"

#include <charconv>

namespace callboard::persistence {
namespace {

struct text_of_value {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(std::int64_t x) const { return std::to_string(x); }
  // SQLite has no booleans and returns integers.
  std::string operator()(bool x) const { return x ? "1" : "0"; }
  std::string operator()(const std::string& x) const { return '\'' + x + '\''; }
  std::string operator()(const bytes& x) const { return to_hex(x.data); }
};

std::string as_text(const sql_value& v) { return std::visit(text_of_value{}, v); }

/// The key columns as text: `7`, or `a/b`.
std::string key_of(const row& r) {
  std::string out;
  for (std::size_t i = 0; i < r.in->key_columns; ++i) {
    const auto* text = std::get_if<std::string>(&r.values[i]);
    out += (i == 0 ? "" : "/") + (text ? *text : as_text(r.values[i]));
  }
  return out;
}

std::string table_and_key(const row& r) { return std::string{r.in->name} + '\0' + key_of(r); }

/// All columns that follow from the journal, each preceded by its length.
std::string packed(const row& r) {
  std::string out;
  for (std::size_t i = r.in->key_columns; i < r.values.size(); ++i) {
    if (r.in->columns[i].is_payload)
      continue;
    const auto text = as_text(r.values[i]);
    out += std::to_string(text.size()) + ':' + text;
  }
  return out;
}

std::string_view next_field(std::string_view& rest) {
  std::size_t size = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()) + 1);
  const auto field = rest.substr(0, size);
  rest.remove_prefix(size);
  return field;
}

}  // namespace

void expected_rows::put(const row& r) {
  if (r.erased)
    rows_.erase(table_and_key(r));
  else
    rows_.insert_or_assign(table_and_key(r), expected{r.in, packed(r)});
}

void expected_rows::compare(const row& stored, const sink& differs) {
  const auto it = rows_.find(table_and_key(stored));
  if (it == rows_.end())
    return differs(stored.in->name, key_of(stored), "", "is stored, but does not follow from the journal");
  it->second.seen = round_;
  const auto found = packed(stored);
  if (found == it->second.values)
    return;
  std::string_view ours = it->second.values;
  std::string_view theirs = found;
  for (std::size_t i = stored.in->key_columns; i < stored.values.size(); ++i) {
    if (stored.in->columns[i].is_payload)
      continue;
    const auto expected_text = next_field(ours);
    const auto stored_text = next_field(theirs);
    if (expected_text != stored_text)
      differs(stored.in->name, key_of(stored), stored.in->columns[i].name,
              "is " + std::string{stored_text} + ", the journal says " + std::string{expected_text});
  }
}

void expected_rows::end(const sink& differs) const {
  for (const auto& [row_key, e] : rows_)
    if (e.seen != round_)
      differs(e.in->name, row_key.substr(e.in->name.size() + 1), "", "is missing, but follows from the journal");
}

}  // namespace callboard::persistence
