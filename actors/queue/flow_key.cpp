#include "actors/queue/rules.hpp"
#include "base/json.hpp"

#include <algorithm>

namespace callboard::queue {

std::optional<std::string> flow_key_of(const new_job& j, std::string_view path) {
  const auto dot = path.find('.');
  const auto& text = path.substr(0, dot) == "metadata" ? j.metadata_text : j.data_text;
  std::string why;
  const auto document = text ? json_document::parse(*text, why) : std::nullopt;
  if (!document || dot == std::string_view::npos)
    return std::nullopt;
  std::optional<json_value> at = document->root();
  for (auto rest = path.substr(dot + 1); at && !rest.empty();) {
    const auto part = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    at = at->find(part);
  }
  if (!at || at->is_null())
    return std::nullopt;
  return at->kind() == json_value::type::string ? std::string{at->string()} : at->dump();
}

}  // namespace callboard::queue
