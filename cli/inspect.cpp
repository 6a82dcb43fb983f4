#include "actors/inspect.hpp"

#include "actors/registry.hpp"
#include "cli/commands.hpp"
#include "persistence/store.hpp"

#include <iostream>

namespace callboard::cli {

int inspect(const config::settings& s, const operands& kind_and_key) {
  const auto& kind = kind_and_key.at(0);
  const auto& key = kind_and_key.at(1);
  const auto store = persistence::make_store(s.store);
  switch (actors::inspect(*store, kind, key, std::cout)) {
  case actors::inspected::found:
    return exit_code::ok;
  case actors::inspected::no_such_entity:
    std::cerr << "callboard: there is no " << kind << ' ' << key << '\n';
    return exit_code::not_found;
  case actors::inspected::no_such_kind:
    break;
  }
  std::string names;
  for (const auto name : actors::kind_names())
    (names += names.empty() ? "" : ", ") += name;
  throw config::usage_error{"there is no kind '" + kind + "'; there are " + names};
}

}  // namespace callboard::cli
