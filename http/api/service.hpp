#pragma once

#include "actors/node.hpp"
#include "config/settings.hpp"
#include "http/transport/server_state.hpp"

namespace callboard::http {

/// What all connections of a process share.
class service : public server_state {
public:
  service(const config::settings& s, actors::node& n);

  actors::node& node;
};

}  // namespace callboard::http
