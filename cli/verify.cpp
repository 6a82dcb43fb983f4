#include "actors/verify.hpp"

#include "cli/commands.hpp"
#include "persistence/store.hpp"

#include <iostream>

namespace callboard::cli {

int verify(const config::settings& s, const operands&) {
  const auto store = persistence::make_store(s.store);
  return actors::verify_all(*store, std::cout) == 0 ? exit_code::ok : exit_code::differences;
}

}  // namespace callboard::cli
