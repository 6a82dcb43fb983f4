#include "http/api/routes.hpp"

#include "http/api/board/routes.hpp"
#include "http/api/entity/routes.hpp"
#include "http/api/opening/routes.hpp"
#include "http/api/operation_routes.hpp"
#include "http/api/queue/routes.hpp"

#include <vector>

namespace callboard::http {

std::span<const route> routes() {
  static const auto table = [] {
    std::vector<route> all;
    for (const auto part : {operation_routes(), opening_routes(), board_routes(), queue_routes(), entity_routes()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return table;
}

}  // namespace callboard::http
