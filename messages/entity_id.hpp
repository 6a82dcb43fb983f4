#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace callboard {

/// One instance of a kind. `kind` points to the kind's static name.
struct entity_id {
  std::string_view kind;
  std::string key;
  friend auto operator<=>(const entity_id&, const entity_id&) = default;
};

inline constexpr int shard_count = 256;

/// FNV-1a: a shard must come out the same on every node and in every release.
constexpr std::uint64_t stable_hash(std::string_view text, std::uint64_t h = 0xcbf29ce484222325ULL) {
  for (const char c : text)
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

constexpr int shard_of(std::string_view kind, std::string_view key) {
  const auto h = stable_hash(key, stable_hash(kind));
  return static_cast<int>((h ^ (h >> 32)) % shard_count);
}

}  // namespace callboard

template <>
struct std::hash<callboard::entity_id> {
  std::size_t operator()(const callboard::entity_id& e) const noexcept {
    return std::hash<std::string_view>{}(e.key) * 31 + std::hash<std::string_view>{}(e.kind);
  }
};
