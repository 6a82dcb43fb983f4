#include "cli/commands.hpp"
#include "persistence/store.hpp"

#include <iostream>

namespace callboard::cli {

int migrate(const config::settings& s, const operands&) {
  persistence::make_store(s.store)->open(s.node_name);
  std::cout << "The schema of " << config::without_password(s.store) << " is up to date.\n";
  return exit_code::ok;
}

}  // namespace callboard::cli
