#pragma once

#include "base/described.hpp"
#include "base/id.hpp"
#include "base/instant.hpp"
#include "base/json.hpp"
#include "base/json_write.hpp"
#include "base/named.hpp"
#include "messages/outcome.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace callboard {

/// Collects what is wrong while a struct is read by its field list.
class json_reader {
public:
  std::vector<problem> problems;

  template <described T>
  void read(const json_value& from, T& into) {
    if (from.kind() != json_value::type::object)
      return complain("must be an object");
    for_each_field<T>([&](const auto& f) { member(from.find(f.name), f, into.*f.member); });
  }

  /// One field, from a body member (or, as text, from a path or query).
  template <class Field, class Member>
  void member(const std::optional<json_value>& from, const Field& f, Member& into) {
    const auto depth = path_.size();
    path_ += path_.empty() ? "" : ".";
    path_ += f.name;
    if (from)
      value(*from, f.rule, into);
    else
      missing(into);
    path_.resize(depth);
  }

  void complain(std::string what) { problems.push_back({path_, std::move(what)}); }

private:
  template <class T>
  void missing(T&) {
    complain("is required");
  }
  template <class T>
  void missing(std::optional<T>&) {}

  template <class Rule, class T>
  void value(const json_value& v, const Rule& rule, std::optional<T>& into) {
    if (v.is_null()) {
      // optional<optional<T>>: present and null is a wish of its own ("clear it").
      if constexpr (requires(T t) { t.has_value(); })
        into.emplace();
      return;
    }
    value(v, rule, into.emplace());
  }
  template <class Rule>
  void value(const json_value& v, const Rule& rule, std::string& into) {
    if (v.kind() != json_value::type::string)
      return complain("must be a string");
    into = checked(v.string(), rule);
  }
  template <class Rule>
  void value(const json_value& v, const Rule& rule, std::int64_t& into) {
    if (v.kind() != json_value::type::integer)
      return complain("must be an integer");
    into = v.integer();
    if constexpr (std::is_same_v<Rule, integer_range>)
      if (into < rule.min || into > rule.max)
        complain("must be from " + std::to_string(rule.min) + " to " + std::to_string(rule.max));
  }
  template <class Rule>
  void value(const json_value& v, const Rule&, std::int32_t& into) {
    std::int64_t wide = 0;
    value(v, integer_range{INT32_MIN, INT32_MAX}, wide);
    into = static_cast<std::int32_t>(wide);
  }
  template <class Rule>
  void value(const json_value& v, const Rule&, bool& into) {
    if (v.kind() != json_value::type::boolean)
      return complain("must be true or false");
    into = v.boolean();
  }
  template <class Rule, class Tag>
  void value(const json_value& v, const Rule&, id<Tag>& into) {
    value(v, integer_range{1, id_max}, into.value);
  }
  template <class Rule>
  void value(const json_value& v, const Rule&, instant& into) {
    const auto t = v.kind() == json_value::type::string ? from_rfc3339(v.string()) : std::nullopt;
    if (!t)
      return complain("must be an RFC 3339 time");
    into = *t;
  }
  template <class Rule, named E>
  void value(const json_value& v, const Rule&, E& into) {
    const auto e = v.kind() == json_value::type::string ? from_name<E>(v.string()) : std::nullopt;
    if (!e)
      return complain("must be one of " + choices<E>());
    into = *e;
  }
  template <class Rule>
  void value(const json_value& v, const Rule&, raw_json& into) {
    into.text = v.dump();
  }
  template <class Rule, described T>
  void value(const json_value& v, const Rule&, T& into) {
    read(v, into);
  }
  template <class Rule, class T>
  void value(const json_value& v, const Rule& rule, std::vector<T>& into) {
    if (v.kind() != json_value::type::array)
      return complain("must be an array");
    for (auto item = v.first(); item; item = item->next()) {
      const auto depth = path_.size();
      path_ += '[' + std::to_string(into.size()) + ']';
      value(*item, rule, into.emplace_back());
      path_.resize(depth);
    }
  }

  template <named E>
  static std::string choices() {
    std::string all;
    for (const auto n : names_of(E{}))
      all += (all.empty() ? "" : ", ") + std::string{n};
    return all;
  }

  std::string checked(std::string_view s, const anything&) { return std::string{s}; }
  std::string checked(std::string_view s, const text& rule);
  std::string checked(std::string_view s, const printable& rule);
  std::string checked(std::string_view s, const slug&);
  std::string checked(std::string_view s, const email_address&);

  std::string path_;
};

std::string_view trimmed(std::string_view s);
std::size_t code_points(std::string_view utf8);
/// Those of Latin-1 (U+0080 to U+009F) too.
bool has_controls(std::string_view utf8);

/// Reads what the server itself wrote; anything unexpected throws std::runtime_error.
template <described T>
T from_own_json(std::string_view text) {
  std::string why;
  const auto doc = json_document::parse(text, why, {.depth = 64, .values = SIZE_MAX});
  T out{};
  json_reader reader;
  if (doc)
    reader.read(doc->root(), out);
  if (!doc || !reader.problems.empty())
    throw std::runtime_error("unreadable record: " +
                             (doc ? reader.problems[0].path + " " + reader.problems[0].what : why));
  return out;
}

}  // namespace callboard
