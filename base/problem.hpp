#pragma once

#include "base/described.hpp"

#include <string>
#include <tuple>

namespace callboard {

/// What is wrong with one member of a request.
struct problem {
  std::string path;
  std::string what;
  static constexpr auto fields = std::tuple{field{"path", &problem::path}, field{"problem", &problem::what}};
};

}  // namespace callboard
