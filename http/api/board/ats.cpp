#include "http/api/board/ats.hpp"

#include <string_view>

namespace callboard::http {
namespace {

using board::tracker;
using type = json_value::type;

/// A member's text; numbers in digits, anything else is empty.
std::string text_at(const json_value& of, std::string_view name) {
  const auto v = of.find(name);
  if (!v)
    return {};
  if (v->kind() == type::integer)
    return std::to_string(v->integer());
  return v->kind() == type::string ? std::string{v->string()} : std::string{};
}

std::string text_at(const json_value& of, std::string_view name, std::string_view inner) {
  const auto v = of.find(name);
  return v ? text_at(*v, inner) : std::string{};
}

std::string first_of(std::string a, std::string b) { return a.empty() ? std::move(b) : std::move(a); }

std::string last_segment(std::string_view url) {
  while (url.ends_with('/'))
    url.remove_suffix(1);
  return std::string{url.substr(url.rfind('/') + 1)};
}

ingested_job from_greenhouse(const json_value& j, const std::string& board) {
  const auto departments = j.find("departments");
  const auto first = departments ? departments->first() : std::nullopt;
  return {board,
          text_at(j, "id"),
          text_at(j, "title"),
          text_at(j, "absolute_url"),
          text_at(j, "location", "name"),
          first ? text_at(*first, "name") : std::string{}};
}

ingested_job from_lever(const json_value& j, const std::string& board) {
  return {board,
          text_at(j, "id"),
          text_at(j, "text"),
          text_at(j, "hostedUrl"),
          text_at(j, "categories", "location"),
          first_of(text_at(j, "categories", "department"), text_at(j, "categories", "team"))};
}

ingested_job from_ashby(const json_value& j, const std::string& board) {
  auto url = text_at(j, "jobUrl");
  return {board,
          first_of(text_at(j, "id"), last_segment(url)),
          text_at(j, "title"),
          url,
          text_at(j, "location"),
          first_of(text_at(j, "department"), text_at(j, "team"))};
}

/// Ashby's list also holds what is not to be shown.
bool is_listed(const json_value& j) {
  const auto listed = j.find("isListed");
  return !listed || listed->kind() != type::boolean || listed->boolean();
}

std::optional<json_value> items_of(const json_value& list, tracker from) {
  const auto items = from == tracker::lever ? std::optional{list} : list.find("jobs");
  return items && items->kind() == type::array ? items : std::nullopt;
}

}  // namespace

std::optional<tracker> shape_of(const json_value& list) {
  if (list.kind() == type::array)
    return tracker::lever;
  const auto jobs = list.find("jobs");
  const auto first = jobs ? jobs->first() : std::nullopt;
  if (!first)
    return std::nullopt;
  if (first->find("absolute_url"))
    return tracker::greenhouse;
  return first->find("jobUrl") ? std::optional{tracker::ashby} : std::nullopt;
}

std::optional<std::vector<ingested_job>> jobs_in(const json_value& list, tracker from, const std::string& board) {
  const auto items = items_of(list, from);
  if (!items)
    return std::nullopt;
  std::vector<ingested_job> out;
  for (auto j = items->first(); j; j = j->next()) {
    if (from == tracker::ashby && !is_listed(*j))
      continue;
    out.push_back(from == tracker::greenhouse ? from_greenhouse(*j, board)
                  : from == tracker::lever    ? from_lever(*j, board)
                                              : from_ashby(*j, board));
  }
  return out;
}

}  // namespace callboard::http
