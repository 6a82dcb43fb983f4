#include "http/api/bodies.hpp"

#include "http/transport/head_check.hpp"

#include <algorithm>

namespace callboard::http {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void invalid(std::vector<problem> problems) {
  const auto& first = problems.front();
  auto message = first.path.empty() ? first.what : first.path + ' ' + first.what;
  throw refused{{code::validation_error, std::move(message), std::move(problems)}};
}

void invalid(std::string path, std::string problem) {
  std::vector<callboard::problem> problems;
  problems.push_back({std::move(path), std::move(problem)});
  invalid(std::move(problems));
}

void not_found(std::string_view what, std::int64_t id) {
  throw refused{{code::not_found, std::string{what} + ' ' + std::to_string(id) + " not found", {}}};
}

json_document parsed_body(const request_context& x, body_size size, body_shape shape) {
  json_limits limits;
  if (size == body_size::bulk)
    limits.values = SIZE_MAX;
  std::string why;
  auto document = json_document::parse(x.body.empty() ? std::string_view{"{}"} : x.body, why, limits);
  if (!document)
    invalid("", "The body can not be read: " + why);
  if (shape == body_shape::object && document->root().kind() != json_value::type::object)
    invalid("", "The body must be an object");
  return std::move(*document);
}

std::int64_t path_id(const request_context& x, std::size_t parameter, std::string_view name) {
  const auto& text = x.parameters.at(parameter);
  std::int64_t id = 0;
  const bool is_number =
      !text.empty() && text.size() <= 16 && text.front() != '0' && std::all_of(text.begin(), text.end(), is_digit);
  if (is_number)
    id = std::stoll(text);
  if (!is_number || id > id_max)
    invalid(std::string{name}, "must be an integer from 1 to " + std::to_string(id_max));
  return id;
}

std::optional<std::string_view> idempotency_key(const request_context& x) {
  constexpr std::size_t key_size_max = 255;
  const auto it = std::find_if(x.headers.begin(), x.headers.end(),
                               [](const auto& h) { return equal_ignoring_case(h.first, "Idempotency-Key"); });
  if (it == x.headers.end())
    return std::nullopt;
  const auto key = it->second;
  const bool printable = std::all_of(key.begin(), key.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (key.empty() || key.size() > key_size_max || !printable)
    invalid("Idempotency-Key", "must have 1 to " + std::to_string(key_size_max) + " printable characters");
  return key;
}

}  // namespace callboard::http
