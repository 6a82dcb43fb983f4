#include "base/json.hpp"

#include "base/id.hpp"
#include "base/json_write.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace callboard {

using type = json_value::type;

/// Receives the events of nlohmann's SAX parser (which checks UTF-8, surrogates and syntax) and keeps a flat tape.
struct json_builder {
  json_document& doc;
  json_limits limits;
  std::string problem;
  std::vector<std::uint32_t> open{};
  json_document::slice pending_key{};

  using number_integer_t = std::int64_t;
  using number_unsigned_t = std::uint64_t;
  using number_float_t = double;
  using string_t = std::string;
  using binary_t = nlohmann::json::binary_t;

  bool fail(std::string why) {
    if (problem.empty())
      problem = std::move(why);
    return false;
  }
  json_document::slice keep(const std::string& s) {
    const auto at = static_cast<std::uint32_t>(doc.chars_.size());
    doc.chars_ += s;
    return {at, static_cast<std::uint32_t>(s.size())};
  }
  json_document::node* add(type t) {
    if (open.empty() && t != type::object && t != type::array)
      return fail("expected an object"), nullptr;
    if (doc.nodes_.size() >= limits.values)
      return fail("more than " + std::to_string(limits.values) + " values"), nullptr;
    auto& n = doc.nodes_.emplace_back();
    n.type = t;
    n.key = pending_key;
    n.next = static_cast<std::uint32_t>(doc.nodes_.size());
    return &n;
  }
  bool null() { return add(type::null); }
  bool boolean(bool x) {
    auto* n = add(type::boolean);
    return n && (n->truth = x, true);
  }
  bool number_integer(std::int64_t x) {
    if (x < -id_max || x > id_max)
      return fail("number out of range");
    auto* n = add(type::integer);
    return n && (n->integer = x, n->real = static_cast<double>(x), true);
  }
  bool number_unsigned(std::uint64_t x) {
    return x <= static_cast<std::uint64_t>(id_max) ? number_integer(static_cast<std::int64_t>(x))
                                                   : fail("number out of range");
  }
  bool number_float(double x, const std::string&) {
    // 1.0 and 1e0 are integers too.
    if (std::trunc(x) == x)
      return std::abs(x) <= static_cast<double>(id_max) ? number_integer(static_cast<std::int64_t>(x))
                                                        : fail("number out of range");
    auto* n = add(type::real);
    return n && (n->real = x, true);
  }
  bool string(std::string& s) {
    if (s.find('\0') != std::string::npos)
      return fail("NUL in a string");
    auto* n = add(type::string);
    return n && (n->text = keep(s), true);
  }
  bool binary(binary_t&) { return fail("binary value"); }
  bool key(std::string& s) {
    if (s.find('\0') != std::string::npos)
      return fail("NUL in a key");
    pending_key = keep(s);
    return true;
  }
  bool start(type t) {
    if (open.size() >= limits.depth)
      return fail("nested deeper than " + std::to_string(limits.depth));
    if (!add(t))
      return false;
    open.push_back(static_cast<std::uint32_t>(doc.nodes_.size() - 1));
    pending_key = {};
    return true;
  }
  bool end() {
    const auto at = open.back();
    open.pop_back();
    doc.nodes_[at].next = static_cast<std::uint32_t>(doc.nodes_.size());
    return doc.nodes_[at].type != type::object || unique_keys(at);
  }
  bool unique_keys(std::uint32_t at) {
    std::vector<std::string_view> keys;
    for (auto i = at + 1; i < doc.nodes_[at].next; i = doc.nodes_[i].next)
      keys.push_back(doc.view(doc.nodes_[i].key));
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    return twice == keys.end() || fail("duplicate key " + to_json(*twice));
  }
  bool start_object(std::size_t) { return start(type::object); }
  bool end_object() { return end(); }
  bool start_array(std::size_t) { return start(type::array); }
  bool end_array() { return end(); }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception&) {
    // The library's text may quote the input; the position says enough.
    return fail("malformed JSON at byte " + std::to_string(at));
  }
};

std::optional<json_document> json_document::parse(std::string_view text, std::string& problem, json_limits limits) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    problem = "byte order mark";  // nlohmann would skip it silently
    return std::nullopt;
  }
  if (text.find('\0') != std::string_view::npos) {
    problem = "NUL in the text";  // nlohmann would take it for the end
    return std::nullopt;
  }
  json_document doc;
  doc.chars_.reserve(text.size());
  json_builder builder{doc, limits, {}};
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
    return doc;
  problem = builder.problem.empty() ? "malformed JSON" : builder.problem;
  return std::nullopt;
}

type json_value::kind() const { return doc_->nodes_[at_].type; }
bool json_value::boolean() const { return doc_->nodes_[at_].truth; }
std::int64_t json_value::integer() const { return doc_->nodes_[at_].integer; }
double json_value::real() const { return doc_->nodes_[at_].real; }
std::string_view json_value::string() const { return doc_->view(doc_->nodes_[at_].text); }
std::string_view json_value::key() const { return doc_->view(doc_->nodes_[at_].key); }

std::optional<json_value> json_value::first() const {
  const auto& n = doc_->nodes_[at_];
  if ((n.type != type::array && n.type != type::object) || n.next == at_ + 1)
    return std::nullopt;
  return json_value{doc_, at_ + 1, n.next};
}

std::optional<json_value> json_value::next() const {
  const auto behind = doc_->nodes_[at_].next;
  return behind < end_ ? std::optional{json_value{doc_, behind, end_}} : std::nullopt;
}

std::optional<json_value> json_value::find(std::string_view wanted) const {
  if (kind() == type::object)
    for (auto member = first(); member; member = member->next())
      if (member->key() == wanted)
        return member;
  return std::nullopt;
}

std::string json_value::dump() const {
  std::string out;
  switch (kind()) {
  case type::null:
    return "null";
  case type::boolean:
    write_json(out, boolean());
    return out;
  case type::integer:
    write_json(out, integer());
    return out;
  case type::real:
    write_json(out, real());
    return out;
  case type::string:
    write_json(out, string());
    return out;
  case type::array:
  case type::object:
    break;
  }
  const bool is_object = kind() == type::object;
  out += is_object ? '{' : '[';
  for (auto item = first(); item; item = item->next()) {
    if (out.size() > 1)
      out += ',';
    if (is_object) {
      write_json(out, item->key());
      out += ':';
    }
    out += item->dump();
  }
  out += is_object ? '}' : ']';
  return out;
}

}  // namespace callboard
