#include "http/api/etags.hpp"

#include "base/json_read.hpp"
#include "http/api/bodies.hpp"

#include <charconv>
#include <vector>

namespace callboard::http {
namespace {

struct tag {
  bool is_weak;
  std::string_view text;
};

/// `W/"a", "b"`; nullopt for anything else. Tags hold no quotes, but may hold commas.
std::optional<std::vector<tag>> tags(std::string_view list) {
  std::vector<tag> out;
  for (auto rest = trimmed(list);;) {
    const bool is_weak = rest.starts_with("W/");
    rest.remove_prefix(is_weak ? 2 : 0);
    const auto end = rest.starts_with('"') ? rest.find('"', 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      return std::nullopt;
    out.push_back({is_weak, rest.substr(1, end - 1)});
    rest = trimmed(rest.substr(end + 1));
    if (rest.empty())
      return out;
    if (!rest.starts_with(','))
      return std::nullopt;
    rest = trimmed(rest.substr(1));
  }
}

/// Weak tags and those that we never give match no version.
std::int64_t version_of(const tag& t) {
  std::int64_t version = no_version;
  const auto* end = t.text.data() + t.text.size();
  const auto read = std::from_chars(t.text.data(), end, version);
  return !t.is_weak && read.ec == std::errc{} && read.ptr == end && version >= 0 ? version : no_version;
}

}  // namespace

std::string etag(std::int64_t version) { return '"' + std::to_string(version) + '"'; }

std::optional<std::int64_t> if_match(const request_context& x) {
  const auto text = trimmed(x.header("If-Match"));
  if (text.empty() || text == "*")
    return std::nullopt;
  const auto named = tags(text);
  if (!named)
    invalid("If-Match", "must be an entity tag or *");
  auto wanted = no_version;
  for (const auto& t : *named) {
    const auto version = version_of(t);
    if (version == no_version)
      continue;
    if (wanted != no_version && wanted != version)
      invalid("If-Match", "must name one version");
    wanted = version;
  }
  return wanted;
}

void require_version(const request_context& x, std::int64_t version) {
  const auto wanted = if_match(x);
  if (wanted && *wanted != version)
    throw refused{{code::precondition_failed, "The version is " + std::to_string(version) + " now", {}}};
}

std::optional<response> not_modified(const request_context& x, std::int64_t version) {
  const auto text = trimmed(x.header("If-None-Match"));
  const auto named = text.empty() ? std::nullopt : tags(text);
  bool has_it = text == "*";
  if (named)
    for (const auto& t : *named)
      has_it = has_it || t.text == std::to_string(version);
  if (!has_it)
    return std::nullopt;
  return response{304, {}, {{"ETag", etag(version)}}};
}

}  // namespace callboard::http
