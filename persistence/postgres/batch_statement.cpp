#include "persistence/postgres/batch_statement.hpp"

#include "persistence/postgres/array_literal.hpp"

namespace callboard::persistence {

namespace {

constexpr std::string_view array_type(column_type t) {
  switch (t) {
  case column_type::integer:
    return "bigint[]";
  case column_type::boolean:
    return "boolean[]";
  case column_type::text:
    return "text[]";
  default:
    return "bytea[]";
  }
}

/// Composes the text part by part. Parameters are numbered in the order in which batch_statement binds them.
///
/// PostgreSQL runs a data-modifying CTE when it is first read, and those that are not read at the end. So the order of
/// the CASE is the order of the checks: a batch that has committed before must be found before its own heads and
/// journal lines raise conflicts.
class composer {
public:
  std::string compose(const batch& b) {
    sql_ = "with w as (update writers set batch = $1::bigint where node = $2::text and batch = $1 - 1 returning 1)";
    checks_ = "select case when not exists (select from w) then abort_batch('batch', null)";
    if (!b.heads.empty())
      heads();
    if (!b.lines.empty())
      lines();
    for (const auto& t : b.tables) {
      if (!t.upserts.empty())
        upsert(*t.in);
      if (!t.erasures.empty())
        erase(*t.in);
    }
    if (!taken_.empty())
      checks_ +=
          " when " + taken_ + " then abort_batch('name', (select jsonb_agg(n)::text from (" + owners_ + ") x(n)))";
    checks_ += b.lines.empty() ? " end, null::bigint" : " end, (select max(pos) from j)";
    return std::move((sql_ += ' ') += checks_);
  }

private:
  std::string parameter(std::string_view type) { return "$" + std::to_string(next_++) + "::" + std::string{type}; }

  std::string arrays(std::initializer_list<column_type> types) {
    std::string out;
    for (const auto type : types)
      (out += out.empty() ? "" : ", ") += parameter(array_type(type));
    return out;
  }

  std::string arrays(const std::vector<column>& columns, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i)
      (out += i == 0 ? "" : ", ") += parameter(array_type(columns[i].type));
    return out;
  }

  void heads() {
    const auto sent = "cardinality($" + std::to_string(next_) + "::text[])";
    using enum column_type;
    sql_ += ", u as (select * from unnest(" + arrays({text, text, integer, integer, integer, bytes}) +
            ") as u(kind, key, expected, seq, at, hash))"
            ", moved as (update heads h set seq = u.seq, at = u.at, hash = u.hash from u"
            " where u.expected > 0 and h.kind = u.kind and h.key = u.key and h.seq = u.expected"
            " returning h.kind, h.key)"
            ", born as (insert into heads (kind, key, seq, at, hash)"
            " select u.kind, u.key, u.seq, u.at, u.hash from u where u.expected = 0"
            " on conflict do nothing returning kind, key)";
    checks_ += " when (select count(*) from moved) + (select count(*) from born) <> " + sent +
               " then abort_batch('head', (select jsonb_agg(jsonb_build_array(u.kind, u.key))::text from u"
               " where not exists (select from moved m where m.kind = u.kind and m.key = u.key)"
               " and not exists (select from born n where n.kind = u.kind and n.key = u.key)))";
  }

  void lines() {
    using enum column_type;
    static const std::string columns =
        "kind, key, seq, type, at, subject, actor_type, actor_id, reason, trace, request, data, hash";
    const auto sent = arrays({text, text, integer, text, integer, text, text, text, text, text, text, text, bytes});
    // Positions are assigned in the order of the rows, which must be the order of the decisions.
    sql_ += ", j as (insert into journal (" + columns + ") select " + columns + " from unnest(" + sent +
            ") with ordinality as l(" + columns + ", n) order by l.n returning pos)";
  }

  void upsert(const table& t) {
    const auto part = "t" + std::to_string(parts_++);
    const auto first_parameter = next_;
    std::string names, key, changes;
    for (std::size_t i = 0; i < t.columns.size(); ++i) {
      const std::string name{t.columns[i].name};
      (names += i == 0 ? "" : ", ") += name;
      if (i < t.key_columns)
        (key += i == 0 ? "" : ", ") += name;
      else
        changes += (changes.empty() ? "" : ", ") + name + " = " +
                   (t.partial_update ? "coalesce(excluded." + name + ", t." + name + ")" : "excluded." + name);
    }
    const std::string first{t.columns.front().name};
    if (t.first_writer_wins)
      changes = first + " = t." + first;
    sql_ += ", " + part + " as (insert into " + std::string{t.name} + " as t (" + names + ") select * from unnest(" +
            arrays(t.columns, t.columns.size()) + ") on conflict (" +
            (t.conflict.empty() ? key : std::string{t.conflict}) + ") do " +
            (changes.empty() ? "nothing" : "update set " + changes);
    if (!t.owner_predicate.empty()) {
      const auto& name = t.columns[t.name_column];
      sql_ += " where " + std::string{t.owner_predicate} + " returning t." + std::string{name.name} + " as n";
      const auto sent =
          "$" + std::to_string(first_parameter + t.name_column) + "::" + std::string{array_type(name.type)};
      (taken_ += taken_.empty() ? "" : " or ") += "(select count(*) from " + part + ") <> cardinality(" + sent + ")";
      (owners_ += owners_.empty() ? "" : " union all ") +=
          "select jsonb_build_array('" + std::string{t.name} + "', " +
          (name.type == column_type::bytes ? "encode(s.n, 'hex')" : "s.n::text") + ") from unnest(" + sent +
          ") s(n) where not exists (select from " + part + " where " + part + ".n = s.n)";
    }
    sql_ += ')';
  }

  void erase(const table& t) {
    sql_ += ", t" + std::to_string(parts_++) + " as (delete from " + std::string{t.name} + " t using unnest(" +
            arrays(t.columns, t.key_columns) + ") as e(";
    std::string same;
    for (std::size_t i = 0; i < t.key_columns; ++i) {
      const auto k = "k" + std::to_string(i);
      (sql_ += i == 0 ? "" : ", ") += k;
      same += (i == 0 ? "t." : " and t.") + std::string{t.columns[i].name} + " = e." + k;
    }
    sql_ += ") where " + same + ")";
  }

  std::string sql_, checks_, taken_, owners_;
  std::size_t next_ = 3;
  int parts_ = 0;
};

/// An array with one item per element of a list of the batch.
template <class Items, class Get>
void put_array(std::string& out, const Items& items, Get&& get) {
  append_array(out, items, [&](const auto& item) { append_item(out, get(item)); });
}

}  // namespace

const std::string& batch_statement::text(const batch& b) {
  shape_.clear();
  (shape_ += b.heads.empty() ? '-' : 'h') += b.lines.empty() ? '-' : 'l';
  for (const auto& t : b.tables)
    if (!t.upserts.empty() || !t.erasures.empty())
      (((shape_ += ' ') += t.in->name) += t.upserts.empty() ? "-" : "+") += t.erasures.empty() ? "" : "x";
  auto& text = texts_[shape_];
  if (text.empty())
    text = composer{}.compose(b);
  return text;
}

std::string& batch_statement::next() {
  if (used_ == values_.size())
    values_.emplace_back();
  auto& value = values_[used_++];
  value.clear();
  return value;
}

std::span<const char* const> batch_statement::bind(const batch& b, std::string_view node) {
  used_ = 0;
  next() = std::to_string(b.number);
  next() = node;
  if (!b.heads.empty())
    bind_heads(b);
  if (!b.lines.empty())
    bind_lines(b);
  for (const auto& t : b.tables)
    bind_table(t);
  pointers_.clear();
  for (std::size_t i = 0; i < used_; ++i)
    pointers_.push_back(values_[i].c_str());
  return pointers_;
}

void batch_statement::bind_heads(const batch& b) {
  put_array(next(), b.heads, [](const head_move& h) { return h.entity->kind; });
  put_array(next(), b.heads, [](const head_move& h) { return std::string_view{h.entity->key}; });
  put_array(next(), b.heads, [](const head_move& h) { return h.expected; });
  put_array(next(), b.heads, [](const head_move& h) { return h.seq; });
  put_array(next(), b.heads, [](const head_move& h) { return to_ms(h.at); });
  auto& hashes = next();
  append_array(hashes, b.heads, [&](const head_move& h) { append_bytes_item(hashes, *h.hash); });
}

void batch_statement::bind_lines(const batch& b) {
  using view = std::string_view;
  put_array(next(), b.lines, [](const journal_line& l) { return l.entity->kind; });
  put_array(next(), b.lines, [](const journal_line& l) { return view{l.entity->key}; });
  put_array(next(), b.lines, [](const journal_line& l) { return l.seq; });
  put_array(next(), b.lines, [](const journal_line& l) { return l.type; });
  put_array(next(), b.lines, [](const journal_line& l) { return to_ms(l.at); });
  auto& subjects = next();
  append_array(subjects, b.lines, [&](const journal_line& l) {
    if (l.subject != nullptr && *l.subject)
      append_item(subjects, view{**l.subject});
    else
      append_null_item(subjects);
  });
  put_array(next(), b.lines, [](const journal_line& l) { return view{l.by->actor_type}; });
  put_array(next(), b.lines, [](const journal_line& l) { return view{l.by->actor_id}; });
  put_array(next(), b.lines, [](const journal_line& l) { return view{l.by->reason}; });
  put_array(next(), b.lines, [](const journal_line& l) { return view{l.by->trace}; });
  put_array(next(), b.lines, [](const journal_line& l) { return view{l.by->request}; });
  put_array(next(), b.lines, [](const journal_line& l) { return view{*l.data}; });
  auto& hashes = next();
  append_array(hashes, b.lines, [&](const journal_line& l) { append_bytes_item(hashes, *l.hash); });
}

void batch_statement::bind_table(const table_rows& t) {
  const auto column = [&](const std::vector<const row*>& rows, std::size_t i) {
    auto& out = next();
    append_array(out, rows, [&](const row* r) { append_item(out, r->values[i]); });
  };
  if (!t.upserts.empty())
    for (std::size_t i = 0; i < t.in->columns.size(); ++i)
      column(t.upserts, i);
  if (!t.erasures.empty())
    for (std::size_t i = 0; i < t.in->key_columns; ++i)
      column(t.erasures, i);
}

}  // namespace callboard::persistence
