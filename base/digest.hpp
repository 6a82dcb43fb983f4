#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace callboard::persistence {

/// SHA-256 over fields, each preceded by its length, so that no two lists of fields look alike. One at a time per
/// thread: all of a thread's digests share one buffer.
class digest {
public:
  digest();

  digest& add(std::string_view field);
  digest& add(std::int64_t number);

  /// 32 bytes; the digest is then empty again.
  std::string take();

private:
  void put(std::uint64_t x);
  std::string& text_;
};

/// SHA-256 of one text as it is: 32 bytes.
std::string sha256(std::string_view text);

}  // namespace callboard::persistence
