#include "base/json_merge.hpp"

#include "base/json_write.hpp"

#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace callboard {
namespace {

using type = json_value::type;

json_document parsed(std::string_view text) {
  std::string why;
  auto document =
      json_document::parse(text.empty() ? std::string_view{"{}"} : text, why, {.depth = 64, .values = SIZE_MAX});
  if (!document || document->root().kind() != type::object)
    throw std::runtime_error("no object to merge: " + why);
  return std::move(*document);
}

/// One object under way to its text.
class object_writer {
public:
  explicit object_writer(std::string& out) : out_{out} { out_ += '{'; }
  ~object_writer() { out_ += '}'; }
  object_writer(const object_writer&) = delete;
  object_writer& operator=(const object_writer&) = delete;

  std::string& member(std::string_view key) {
    if (!first_)
      out_ += ',';
    first_ = false;
    write_json_string(out_, key);
    return out_ += ':';
  }

private:
  std::string& out_;
  bool first_ = true;
};

void write_merged(std::string& out, const std::optional<json_value>& before, const json_value& changes);

/// What stands at one key afterwards; null removes it before this is asked.
void write_changed(std::string& out, const std::optional<json_value>& before, const json_value& change) {
  if (change.kind() == type::object)
    write_merged(out, before, change);
  else
    out += change.dump();
}

/// Keys that stay keep their places, new ones follow.
void write_merged(std::string& out, const std::optional<json_value>& before, const json_value& changes) {
  std::unordered_map<std::string_view, json_value> named;
  for (auto c = changes.first(); c; c = c->next())
    named.emplace(c->key(), *c);
  object_writer object{out};
  std::unordered_set<std::string_view> done;
  if (before && before->kind() == type::object)
    for (auto b = before->first(); b; b = b->next()) {
      const auto it = named.find(b->key());
      if (it == named.end())
        object.member(b->key()) += b->dump();
      else if (!it->second.is_null())
        write_changed(object.member(b->key()), *b, it->second);
      done.insert(b->key());
    }
  for (auto c = changes.first(); c; c = c->next())
    if (!c->is_null() && !done.contains(c->key()))
      write_changed(object.member(c->key()), std::nullopt, *c);
}

}  // namespace

std::string merged_json(std::string_view before, std::string_view changes) {
  const auto old = parsed(before);
  const auto wanted = parsed(changes);
  std::string out;
  write_merged(out, old.root(), wanted.root());
  return out;
}

}  // namespace callboard
