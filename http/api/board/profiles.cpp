#include "actors/profile/reads.hpp"
#include "actors/profile/rules.hpp"
#include "http/api/ask.hpp"
#include "http/api/board/boards.hpp"
#include "http/api/board/job_filters.hpp"
#include "http/api/bodies.hpp"
#include "http/api/etags.hpp"
#include "http/api/results.hpp"

namespace callboard::http {
namespace {

using profile::kind;
using type = json_value::type;

constexpr std::size_t tags_max = 50;

std::string user_id(const request_context& x) {
  const auto& id = x.parameters.at(0);
  if (trimmed(id) != id || has_controls(id) || code_points(id) > 200)
    invalid("id", "must have 1 to 200 printable characters");
  return id;
}

struct interests {
  std::optional<std::vector<std::string>> tags;
  static constexpr auto fields = std::tuple{field{"interest_tags", &interests::tags, text{1, 64}}};
};

/// A member as text, which has to be of one type; what is missing is empty.
raw_json part_of(const json_value& body, std::string_view name, type expected, std::string_view empty) {
  const auto v = body.find(name);
  if (!v || v->is_null())
    return {std::string{empty}};
  if (v->kind() != expected)
    invalid(std::string{name}, expected == type::object ? "must be an object" : "must be an array");
  return {v->dump()};
}

void require_texts(const json_value& body, std::string_view name) {
  const auto map = body.find(name);
  for (auto m = map ? map->first() : std::nullopt; m; m = m->next())
    if (m->kind() != type::string)
      invalid(std::string{name} + '.' + std::string{m->key()}, "must be a string");
}

profile::contents contents_in(const json_value& body) {
  profile::contents out;
  out.interest_tags = read_as<interests>(body).tags.value_or(std::vector<std::string>{});
  if (out.interest_tags.size() > tags_max)
    invalid("interest_tags", "must be at most " + std::to_string(tags_max));
  for (auto& tag : out.interest_tags)
    tag = lower_case(std::move(tag));
  out.default_answers = part_of(body, "default_answers", type::object, "{}");
  require_texts(body, "default_answers");
  out.resumes = part_of(body, "resumes", type::array, "[]");
  return out;
}

}  // namespace

task<response> show_profile(request_context& x) {
  const auto id = user_id(x);
  const auto question = [id](persistence::reader& from) { return profile::find_profile(from, id); };
  const auto found = co_await read(x, question);
  if (!found)
    throw refused{{code::not_found, "User '" + id + "' has no profile", {}}};
  if (auto same = not_modified(x, found->version))
    co_return std::move(*same);
  co_return response{200, to_json(*found), {{"ETag", etag(found->version)}}};
}

task<response> put_profile(request_context& x) {
  auto id = user_id(x);
  const auto body = parsed_body(x, body_size::usual);
  profile::command command = profile::put{contents_in(body.root())};
  idempotency_key(x);
  auto a = co_await ask<kind>(x, std::move(id), std::move(command), asking::command);
  const auto version = a.version;
  const bool is_fresh = !a.again;
  auto r = written<profile::profile>(std::move(a));
  if (is_fresh)
    r.headers.emplace_back("ETag", etag(version));
  co_return r;
}

}  // namespace callboard::http
