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

}  // namespace callboard::actors
