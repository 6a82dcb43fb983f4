#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callboard {

/// What a parsed text may be at most.
struct json_limits {
  std::size_t depth = 32;
  std::size_t values = 10'000;
};

class json_document;

/// A value inside a document, which must outlive it.
class json_value {
public:
  enum class type : std::uint8_t { null, boolean, integer, real, string, array, object };

  type kind() const;
  bool is_null() const { return kind() == type::null; }
  bool boolean() const;
  std::int64_t integer() const;
  double real() const;
  std::string_view string() const;
  /// Array items or object members in order; a member's name is its `key()`.
  std::optional<json_value> first() const;
  std::optional<json_value> next() const;
  std::string_view key() const;
  std::optional<json_value> find(std::string_view key) const;
  /// This value as JSON again.
  std::string dump() const;

private:
  friend class json_document;
  json_value(const json_document* doc, std::uint32_t at, std::uint32_t end) : doc_{doc}, at_{at}, end_{end} {}
  const json_document* doc_;
  std::uint32_t at_;
  std::uint32_t end_;  ///< where the surrounding value ends
};

/// A guarded text: depth, number of values, duplicate keys, NUL, UTF-8, BOM and ranges are checked while it is read,
/// before anything is built from it.
class json_document {
public:
  /// nullopt, with the reason in `problem`, for anything that is not one object or array within the limits.
  static std::optional<json_document> parse(std::string_view text, std::string& problem, json_limits limits = {});

  json_value root() const { return {this, 0, static_cast<std::uint32_t>(nodes_.size())}; }

private:
  friend class json_value;
  friend struct json_builder;
  struct slice {
    std::uint32_t offset = 0, size = 0;
  };
  struct node {
    json_value::type type;
    bool truth = false;
    std::uint32_t next = 0;  ///< index of the first node behind this value
    slice key, text;
    std::int64_t integer = 0;
    double real = 0;
  };
  std::string_view view(slice s) const { return std::string_view{chars_}.substr(s.offset, s.size); }

  std::vector<node> nodes_;
  std::string chars_;
};

}  // namespace callboard
