#pragma once

#include "base/named.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace callboard {

/// One change of status; without `from` it is the first status of something new.
template <named Status>
struct move {
  std::optional<Status> from;
  Status to;
};

/// Every change of status that a noun of the domain can make; any other is a bug. The matrix is computed at compile
/// time, so a check costs one load.
template <named Status>
class lifecycle {
public:
  static constexpr std::size_t status_count = names_of(Status{}).size();

  consteval lifecycle(std::string_view noun, std::initializer_list<move<Status>> moves) : noun_{noun} {
    for (const auto& m : moves)
      allowed_[index(m.from)][static_cast<std::size_t>(m.to)] = true;
  }

  constexpr bool allows(std::optional<Status> from, Status to) const {
    return allowed_[index(from)][static_cast<std::size_t>(to)];
  }

  /// As in "a run", for the message of a failed check.
  constexpr std::string_view noun() const { return noun_; }

private:
  /// Row 0 is for what does not exist yet.
  static constexpr std::size_t index(std::optional<Status> from) {
    return from ? static_cast<std::size_t>(*from) + 1 : 0;
  }

  std::string_view noun_;
  std::array<std::array<bool, status_count>, status_count + 1> allowed_{};
};

template <named Status>
constexpr bool allowed(const lifecycle<Status>& table, std::type_identity_t<std::optional<Status>> from, Status to) {
  return table.allows(from, to);
}

[[noreturn]] inline void throw_impossible_move(std::string_view noun, std::string_view from, std::string_view to) {
  throw std::logic_error(std::string{noun} + " cannot move from " + std::string{from} + " to " + std::string{to});
}

/// For `evolve`: an event that would make an impossible move is a bug of ours, not an
/// answer, so it throws and the state is dropped and loaded again.
template <named Status>
void check_move(const lifecycle<Status>& table, std::type_identity_t<std::optional<Status>> from, Status to) {
  if (!table.allows(from, to)) [[unlikely]]
    throw_impossible_move(table.noun(), from ? name(*from) : "nothing", name(to));
}

}  // namespace callboard
