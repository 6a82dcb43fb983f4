#pragma once

#include "base/described.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace callboard {

/// Who asks. Travels with every request; what its events are attributed to comes from here.
struct principal {
  std::string type = "anonymous";
  std::string id;
  std::vector<std::string> roles;
  static constexpr auto fields =
      std::tuple{field{"type", &principal::type}, field{"id", &principal::id}, field{"roles", &principal::roles}};

  /// In open mode nobody is known: then a command may name who acts (worker_id, user_id, by).
  bool is_anonymous() const { return type == "anonymous"; }
  bool has_role(std::string_view role) const { return std::find(roles.begin(), roles.end(), role) != roles.end(); }
  /// Idempotency keys of two principals never meet.
  std::string scope() const { return is_anonymous() ? "open" : type + ':' + id; }
};

inline const principal anonymous_principal{};
/// Deadlines, maintenance and answers between entities.
inline const principal system_principal{"system", "", {}};

}  // namespace callboard
