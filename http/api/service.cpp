#include "http/api/service.hpp"

#include <cstdlib>

namespace callboard::http {
namespace {

/// `type=ms` each; their form was checked where they were read.
std::shared_ptr<const queue::backoff_bases> bases_of(const config::settings& s) {
  auto out = std::make_shared<queue::backoff_bases>();
  out->usual_ms = s.work_backoff_ms;
  for (const auto& text : s.work_backoff_by_type) {
    const auto cut = text.rfind('=');
    out->by_type_ms[text.substr(0, cut)] = std::atoll(text.c_str() + cut + 1);
  }
  return out;
}

}  // namespace

service::service(const config::settings& s, actors::node& n)
    : server_state{s}, node{n}, work{n.lookups()}, backoff{bases_of(s)}, known_runs{n.lookups(),
                                                                                    board_job::known_runs} {
  on_drain = [this] { node.drain(); };
}

}  // namespace callboard::http
