#pragma once

#include "base/json_read.hpp"
#include "base/json_write.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

/// How a kind's events become journal text and come back from it.
namespace callboard {

struct encoded_event {
  std::string_view type;  ///< the event's static name
  std::string data;       ///< JSON
};

template <class Event>
encoded_event encode_event(const Event& e) {
  return std::visit([](const auto& one) { return encoded_event{one.type, to_json(one)}; }, e);
}

namespace detail {

template <class Event, class... Types>
Event decode_one_of(std::variant<Types...>*, std::string_view type, std::string_view data) {
  Event out{};
  const bool known = ((Types::type == type && (out = from_own_json<Types>(data), true)) || ...);
  if (!known)
    throw std::runtime_error("unknown event type " + std::string{type});
  return out;
}

}  // namespace detail

/// Throws std::runtime_error for a type that the kind does not know and for text that is not its event.
template <class Event>
Event decode_event(std::string_view type, std::string_view data) {
  return detail::decode_one_of<Event>(static_cast<Event*>(nullptr), type, data);
}

}  // namespace callboard
