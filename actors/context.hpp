#pragma once

#include "base/instant.hpp"
#include "messages/principal.hpp"

#include <cstdint>

namespace callboard {

struct no_settings {};

namespace detail {
template <class Kind>
struct settings_type {
  using type = no_settings;
};
template <class Kind>
requires requires { typename Kind::settings; }
struct settings_type<Kind> {
  using type = typename Kind::settings;
};
}  // namespace detail

/// The part of the configuration that a kind's rules depend on.
template <class Kind>
using settings_of = typename detail::settings_type<Kind>::type;

template <class Kind>
inline const settings_of<Kind> default_settings{};

/// Everything a decision depends on besides the state and the command. The shell provides it, so rules stay pure: the
/// same state, command and context give the same events.
template <class Kind>
struct context {
  instant now;
  std::uint64_t random = 0;  ///< drawn anew for every decision
  const principal& by = anonymous_principal;
  const settings_of<Kind>& settings = default_settings<Kind>;

  /// Uniform in [0, 1].
  double random_share() const {
    constexpr auto most = (std::uint64_t{1} << 53) - 1;
    return static_cast<double>(random >> 11) / static_cast<double>(most);
  }
};

}  // namespace callboard
