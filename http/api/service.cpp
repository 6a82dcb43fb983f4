#include "http/api/service.hpp"

namespace callboard::http {

service::service(const config::settings& s, actors::node& n) : server_state{s}, node{n} {
  on_drain = [this] { node.drain(); };
}

}  // namespace callboard::http
