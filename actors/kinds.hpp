#pragma once

#include "actors/board/rules.hpp"
#include "actors/board_job/rules.hpp"
#include "actors/opening/rules.hpp"
#include "actors/profile/rules.hpp"
#include "actors/queue/rules.hpp"

#include <tuple>
#include <type_traits>
#include <utility>

namespace callboard::actors {

/// Every kind there is. A new kind is one word here.
using all_kinds = std::tuple<opening::kind, board::kind, board_job::kind, profile::kind, queue::kind>;

/// Calls `visit(std::type_identity<Kind>{})` for each kind.
template <class Visit>
void for_each_kind(Visit&& visit) {
  [&]<class... Kinds>(std::type_identity<std::tuple<Kinds...>>) {
    (visit(std::type_identity<Kinds>{}), ...);
  }(std::type_identity<all_kinds>{});
}

namespace detail {
template <class Kinds>
struct settings_tuple;
template <class... Kinds>
struct settings_tuple<std::tuple<Kinds...>> {
  /// One per kind, told apart by the kind: several may have no settings.
  template <class Kind>
  struct one {
    settings_of<Kind> value;
  };
  using type = std::tuple<one<Kinds>...>;
  template <class Kind>
  static auto& get(auto& all) {
    return std::get<one<Kind>>(all).value;
  }
};
}  // namespace detail

/// The settings of every kind.
struct kind_settings {
  template <class Kind>
  auto& of() {
    return detail::settings_tuple<all_kinds>::get<Kind>(values);
  }
  template <class Kind>
  const auto& of() const {
    return detail::settings_tuple<all_kinds>::get<Kind>(values);
  }
  typename detail::settings_tuple<all_kinds>::type values;
};

}  // namespace callboard::actors
