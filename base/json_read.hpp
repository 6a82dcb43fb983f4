#pragma once

#include "base/described.hpp"
#include "base/id.hpp"
#include "base/instant.hpp"
#include "base/json.hpp"
#include "base/json_write.hpp"
#include "base/named.hpp"
#include "base/problem.hpp"

#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace callboard {

template <named E>
std::string choices() {
  std::string all;
  for (const auto n : names_of(E{}))
    all += (all.empty() ? "" : ", ") + std::string{n};
  return all;
}

/// Collects what is wrong while a struct is read, and where.
class json_problems {
public:
  std::vector<problem> problems;

  void complain(std::string what) { problems.push_back({path_, std::move(what)}); }

protected:
  std::string checked(std::string_view s, const anything&) { return std::string{s}; }
  std::string checked(std::string_view s, const text& rule);
  std::string checked(std::string_view s, const printable& rule);
  std::string checked(std::string_view s, const slug&);
  std::string checked(std::string_view s, const email_address&);

  std::string path_;
};

/// Reads a struct by its field list. From callers: strictly, by the fields' rules, hidden ones left alone. From another
/// node: all members as they were written; one that it did not write, being of another release, keeps its default.
template <json_members Members>
class basic_json_reader : public json_problems {
public:
  template <described T>
  void read(const json_value& from, T& into) {
    if (from.kind() != json_value::type::object)
      return complain("must be an object");
    for_each_field<T>([&](const auto& f) {
      using rule = std::remove_cvref_t<decltype(f.rule)>;
      if constexpr (is_complete)
        member(from.find(f.name), f.name, anything{}, into.*f.member);
      else if constexpr (std::is_same_v<rule, inlined>)
        read(from, into.*f.member);
      else if constexpr (!std::is_same_v<rule, hidden>)
        member(from.find(f.name), f.name, f.rule, into.*f.member);
    });
  }
  /// The rules of the field list for the texts of a struct that did not come as JSON.
  template <described T>
  void check(T& x) {
    for_each_field<T>([&](const auto& f) { check_text(f, x.*f.member); });
  }
  template <described... T>
  void read(const json_value& from, std::variant<T...>& into) {
    value(from, anything{}, into);
  }

private:
  static constexpr bool is_complete = Members == json_members::all;

  template <class Field>
  void check_text(const Field& f, std::string& text) {
    path_ = f.name;
    text = checked(text, f.rule);
    path_.clear();
  }
  template <class Field>
  void check_text(const Field& f, std::optional<std::string>& text) {
    if (text)
      check_text(f, *text);
  }

  template <class Rule, class Member>
  void member(const std::optional<json_value>& from, std::string_view name, const Rule& rule, Member& into) {
    const auto depth = path_.size();
    path_ += path_.empty() ? "" : ".";
    path_ += name;
    if (from)
      value(*from, rule, into);
    else if constexpr (!is_complete)
      missing(into);
    path_.resize(depth);
  }

  template <class Rule, class Member>
  void member(const std::optional<json_value>& from, std::string_view name, const with_default<Rule>& rule,
              Member& into) {
    if (from && !from->is_null())
      member(from, name, rule.rule, into);
  }

  template <class T>
  void missing(T&) {
    complain("is required");
  }
  template <class T>
  void missing(std::optional<T>&) {}

  template <class Rule, class T>
  void value(const json_value& v, const Rule& rule, std::optional<T>& into) {
    if (v.is_null()) {
      // optional<optional<T>>: present and null is a command of its own ("clear it").
      if constexpr (detail::is_optional<T>)
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
  void value(const json_value& v, const json_text&, std::string& into) { into = v.dump(); }
  template <class Rule>
  void value(const json_value& v, const Rule& rule, std::int64_t& into) {
    if (is_complete && v.kind() == json_value::type::string)
      return from_text(v.string(), into);
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
  void value(const json_value& v, const Rule&, double& into) {
    if (is_complete && v.kind() == json_value::type::string)
      return from_text(v.string(), into);
    if (v.kind() != json_value::type::integer && v.kind() != json_value::type::real)
      return complain("must be a number");
    into = v.real();
  }
  template <class Rule>
  void value(const json_value& v, const Rule&, bool& into) {
    if (v.kind() != json_value::type::boolean)
      return complain("must be true or false");
    into = v.boolean();
  }
  template <class Rule, class Tag>
  void value(const json_value& v, const Rule& rule, id<Tag>& into) {
    if constexpr (is_complete)
      value(v, rule, into.value);
    else
      value(v, integer_range{1, id_max}, into.value);
  }
  template <class Rule>
  void value(const json_value& v, const Rule& rule, instant& into) {
    if constexpr (is_complete) {
      std::int64_t ms = 0;
      value(v, rule, ms);
      into = from_ms(ms);
    } else {
      const auto t = v.kind() == json_value::type::string ? from_rfc3339(v.string()) : std::nullopt;
      if (!t)
        return complain("must be an RFC 3339 time");
      into = *t;
    }
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
    for (auto item = v.first(); item; item = item->next())
      at('[' + std::to_string(into.size()) + ']', [&] { value(*item, rule, into.emplace_back()); });
  }
  template <class Rule, class T, class Order>
  void value(const json_value& v, const Rule& rule, std::map<std::string, T, Order>& into) {
    if (v.kind() != json_value::type::object)
      return complain("must be an object");
    for (auto item = v.first(); item; item = item->next())
      at('.' + std::string{item->key()}, [&] { value(*item, rule, into[std::string{item->key()}]); });
  }
  template <class Rule, class T>
  void value(const json_value& v, const Rule& rule, std::shared_ptr<const T>& into) {
    if (v.is_null())
      return into.reset();
    auto read_here = std::make_shared<T>();
    value(v, rule, *read_here);
    into = std::move(read_here);
  }
  template <class Rule, described... T>
  void value(const json_value& v, const Rule&, std::variant<T...>& into) {
    const auto type = v.find("type");
    const auto content = v.find("value");
    if (!type || type->kind() != json_value::type::string || !content)
      return complain("must be an object with type and value");
    const bool known =
        ((type->string() == type_name<T>() && (read(*content, into.template emplace<T>()), true)) || ...);
    if (!known)
      complain("is of an unknown type");
  }

  template <class Number>
  void from_text(std::string_view text, Number& into) {
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, into);
    if (read.ec != std::errc{} || read.ptr != end)
      complain("must be a number");
  }

  template <class Read>
  void at(const std::string& step, const Read& read) {
    const auto depth = path_.size();
    path_ += step;
    read();
    path_.resize(depth);
  }
};

using json_reader = basic_json_reader<json_members::shown>;

std::string_view trimmed(std::string_view s);
std::size_t code_points(std::string_view utf8);
/// Those of Latin-1 (U+0080 to U+009F) too.
bool has_controls(std::string_view utf8);

namespace detail {

template <json_members Members, class T>
T from_trusted_json(std::string_view text) {
  std::string why;
  const auto doc = json_document::parse(text, why, {.depth = 64, .values = SIZE_MAX});
  T out{};
  basic_json_reader<Members> reader;
  if (doc)
    reader.read(doc->root(), out);
  if (!doc || !reader.problems.empty())
    throw std::runtime_error("unreadable record: " +
                             (doc ? reader.problems[0].path + " " + reader.problems[0].what : why));
  return out;
}

}  // namespace detail

/// Reads what the server itself wrote; anything unexpected throws std::runtime_error.
template <described T>
T from_own_json(std::string_view text) {
  return detail::from_trusted_json<json_members::shown, T>(text);
}

/// Reads what `to_complete_json` wrote, a struct or a variant of structs; anything else throws std::runtime_error.
template <class T>
T from_complete_json(std::string_view text) {
  return detail::from_trusted_json<json_members::all, T>(text);
}

}  // namespace callboard
