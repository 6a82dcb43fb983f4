#pragma once

#include "http/transport/route.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::http {

/// The routes as a tree of path segments, built once.
class route_table {
public:
  explicit route_table(std::span<const route> routes);

  enum class outcome : std::uint8_t { found, unknown_path, other_method, malformed_path };

  struct match {
    outcome is = outcome::unknown_path;
    const route* found = nullptr;
    std::string allow;  ///< for other_method and OPTIONS: the methods of the path
  };

  /// HEAD finds GET. OPTIONS is always `other_method` when the path is known. Variable segments are
  /// appended to `parameters`; `segments` is a buffer that the caller reuses between requests.
  match find(std::string_view method, std::string_view path, std::vector<std::string>& segments,
             std::vector<std::string>& parameters) const;

private:
  struct node {
    std::vector<std::pair<std::string_view, std::uint32_t>> literals;
    std::uint32_t variable = 0;  ///< 0: none, because the root is no node's child
    std::vector<const route*> routes;
    std::vector<std::size_t> variable_at;  ///< which segments of a path that ends here are variable
  };

  std::uint32_t child(std::uint32_t parent, std::string_view segment);
  void collect(std::uint32_t at, std::span<const std::string> rest, std::vector<const node*>& ends) const;

  std::vector<node> nodes_;
};

}  // namespace callboard::http
