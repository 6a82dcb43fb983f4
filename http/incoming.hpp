#pragma once

#include "http/access.hpp"
#include "http/exchange.hpp"
#include "http/figures.hpp"
#include "http/head_check.hpp"
#include "http/route_table.hpp"
#include "http/service.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::http {

/// What every request passes.
struct entrance {
  entrance(service& s, std::span<const route> r) : app{s}, routes{r}, access{s.settings} {}

  service& app;
  const route_table routes;
  const access_rules access;
};

/// One request on its way to its route, through the checks in the order that callers may rely on:
/// head, route, access, media types, size, permits; and after the body, the query. One object serves
/// all requests of a connection in turn.
class incoming {
public:
  using clock = std::chrono::steady_clock;

  incoming(const entrance& e, boost::asio::io_context& io, const boost::asio::ip::address& peer);

  /// A new request begins; `bytes` must stay where they are until the next one.
  std::optional<refusal> read_head(std::string_view bytes, clock::time_point now);
  /// Instead of that, when the bytes could not become a head.
  void without_head(clock::time_point now);

  /// Everything that is decided before the body.
  std::optional<refusal> admit();
  /// Everything that is decided between the body and the route.
  std::optional<refusal> settle();
  /// The answer when there is no route but OPTIONS.
  response options() const;
  /// Gives back what the request held.
  void release();

  request_head head;
  exchange x;
  const route* to = nullptr;
  request_figures::permit permit;
  std::uint64_t body_bytes_max = 0;
  std::string allow;             ///< what the path can do, when that was not asked for
  std::string_view shared_with;  ///< Origin whose pages may read the answer
  clock::time_point began;
  bool is_head = false;
  bool wants_problem_json = false;

private:
  std::optional<refusal> find_route();
  std::optional<refusal> check_media();
  std::optional<refusal> take_permit();
  bool is_acceptable(std::string_view type) const;

  const entrance& entrance_;
  const boost::asio::ip::address& peer_;
  std::vector<std::string> segments_;
};

}  // namespace callboard::http
