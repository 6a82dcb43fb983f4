#pragma once

#include "base/described.hpp"
#include "base/instant.hpp"
#include "base/named.hpp"
#include "http/api/bodies.hpp"
#include "http/transport/request_context.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Query parameters by field lists. Texts stay as they came, without trimming.
namespace callboard::http {

namespace detail {

void read_parameter(std::string_view name, std::string_view text, const integer_range& rule, std::int64_t& into);
void read_parameter(std::string_view name, std::string_view text, const anything&, instant& into);
/// Slugs in queries name boards.
void read_parameter(std::string_view name, std::string_view text, const slug&, std::string& into);
inline void read_parameter(std::string_view, std::string_view text, const anything&, std::string& into) { into = text; }
template <named E>
void read_parameter(std::string_view name, std::string_view text, const anything&, E& into) {
  const auto found = from_name<E>(text);
  if (!found)
    invalid(std::string{name}, "must be one of " + choices<E>());
  into = *found;
}

template <class Rule, class T>
void read_field(const request_context& x, std::string_view name, const Rule& rule, std::optional<T>& into) {
  if (const auto text = x.query_value(name))
    read_parameter(name, *text, rule, into.emplace());
}
template <class Rule, class T>
void read_field(const request_context& x, std::string_view name, const Rule& rule, T& into) {
  const auto text = x.query_value(name);
  if (!text || text->empty())
    invalid(std::string{name}, "is required");
  read_parameter(name, *text, rule, into);
}

}  // namespace detail

/// The parameters of a request by a field list, in its order; the first that does not fit is refused.
template <described T>
T query_of(const request_context& x) {
  T out{};
  for_each_field<T>([&](const auto& f) { detail::read_field(x, f.name, f.rule, out.*f.member); });
  return out;
}

}  // namespace callboard::http
