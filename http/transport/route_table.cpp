#include "http/transport/route_table.hpp"

#include "http/transport/percent.hpp"

#include <algorithm>

namespace callboard::http {

namespace {

/// Calls `take` for each segment until it returns false. "/a/b" has a and b; "/" has one empty segment.
template <class Take>
bool for_each_segment(std::string_view path, Take&& take) {
  for (std::size_t at = 1;;) {
    const auto end = std::min(path.find('/', at), path.size());
    if (!take(path.substr(at, end - at)))
      return false;
    if (end == path.size())
      return true;
    at = end + 1;
  }
}

std::string allowed_methods(const std::vector<const route*>& routes) {
  std::string out;
  for (const auto* r : routes) {
    out += r->method;
    out += r->method == "GET" ? ", HEAD, " : ", ";
  }
  return out += "OPTIONS";
}

}  // namespace

route_table::route_table(std::span<const route> routes) : nodes_(1) {
  for (const auto& r : routes) {
    std::uint32_t at = 0;
    std::size_t depth = 0;
    std::vector<std::size_t> variable_at;
    for_each_segment(r.pattern, [&](std::string_view segment) {
      at = child(at, segment);
      if (segment.starts_with(':'))
        variable_at.push_back(depth);
      ++depth;
      return true;
    });
    nodes_[at].routes.push_back(&r);
    nodes_[at].variable_at = std::move(variable_at);
  }
}

std::uint32_t route_table::child(std::uint32_t parent, std::string_view segment) {
  const auto fresh = static_cast<std::uint32_t>(nodes_.size());
  if (segment.starts_with(':')) {
    if (nodes_[parent].variable == 0) {
      nodes_[parent].variable = fresh;
      nodes_.emplace_back();
    }
    return nodes_[parent].variable;
  }
  for (const auto& [text, at] : nodes_[parent].literals)
    if (text == segment)
      return at;
  nodes_[parent].literals.emplace_back(segment, fresh);
  nodes_.emplace_back();
  return fresh;
}

void route_table::collect(std::uint32_t at, std::span<const std::string> rest, std::vector<const node*>& ends) const {
  const auto& n = nodes_[at];
  if (rest.empty()) {
    if (!n.routes.empty())
      ends.push_back(&n);
    return;
  }
  for (const auto& [text, next] : n.literals)
    if (text == rest[0])
      collect(next, rest.subspan(1), ends);
  if (n.variable != 0 && !rest[0].empty())
    collect(n.variable, rest.subspan(1), ends);
}

route_table::match route_table::find(std::string_view method, std::string_view path, std::vector<std::string>& segments,
                                     std::vector<std::string>& parameters) const {
  std::size_t count = 0;
  const bool is_wellformed = for_each_segment(path, [&](std::string_view segment) {
    if (count == segments.size())
      segments.emplace_back();
    return decode_segment(segment, segments[count++]);
  });
  if (!is_wellformed)
    return {outcome::malformed_path, nullptr, {}};

  // A literal segment is tried before a variable one: /jobs/export is not the job named export.
  std::vector<const node*> ends;
  collect(0, std::span{segments}.first(count), ends);
  if (ends.empty())
    return {outcome::unknown_path, nullptr, {}};
  const auto wanted = method == "HEAD" ? std::string_view{"GET"} : method;
  for (const auto* end : ends)
    for (const auto* r : end->routes)
      if (r->method == wanted) {
        parameters.clear();
        for (const auto i : end->variable_at)
          parameters.push_back(segments[i]);
        return {outcome::found, r, {}};
      }
  auto can = ends[0]->routes;
  for (const auto* end : std::span{ends}.subspan(1))
    for (const auto* r : end->routes)
      if (std::none_of(can.begin(), can.end(), [&](const auto* x) { return x->method == r->method; }))
        can.push_back(r);
  return {outcome::other_method, nullptr, allowed_methods(can)};
}

}  // namespace callboard::http
