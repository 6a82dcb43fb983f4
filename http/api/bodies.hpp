#pragma once

#include "base/json_read.hpp"
#include "http/transport/request_context.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// From a request's path and body to what it means; what does not fit is refused with details.
namespace callboard::http {

[[noreturn]] void invalid(std::string path, std::string problem);
[[noreturn]] void invalid(std::vector<problem> problems);
[[noreturn]] void not_found(std::string_view what, std::int64_t id);

enum class body_size : std::uint8_t { usual, bulk };

enum class body_shape : std::uint8_t { object, object_or_array };

/// A parsed body; no body is an empty object.
json_document parsed_body(const request_context& x, body_size size, body_shape shape = body_shape::object);

/// The Idempotency-Key of a write, if it has one.
std::optional<std::string_view> idempotency_key(const request_context& x);

/// A body, or a part of it, by its field list.
template <described T>
T read_as(const json_value& from) {
  T out{};
  json_reader reader;
  reader.read(from, out);
  if (!reader.problems.empty())
    invalid(std::move(reader.problems));
  return out;
}

template <described T>
T body_of(const request_context& x, body_size size = body_size::usual) {
  const auto document = parsed_body(x, size);
  auto out = read_as<T>(document.root());
  idempotency_key(x);  // refused here, before anything is looked for
  return out;
}

/// A variable segment that must be an id from 1 to 2⁵³ − 1.
std::int64_t path_id(const request_context& x, std::size_t parameter, std::string_view name);

}  // namespace callboard::http
