#pragma once

#include "messages/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace callboard::http {

// Stricter than Beast, which accepts what proxies read differently (other transfer codings, repeated
// lengths, folded lines): after such a head the start of the next request is ambiguous.

inline constexpr std::size_t head_bytes_max = 16 * 1024;
inline constexpr std::size_t head_line_bytes_max = 8 * 1024;
inline constexpr std::size_t head_fields_max = 100;

/// Why a head is refused. The connection ends, because nothing after the head can be trusted.
struct head_fault {
  code what = code::validation_error;
  std::string_view reason;
};

/// A head that passed. The views point into the checked bytes.
struct request_head {
  std::string_view method;
  std::string_view target;  ///< path and query, printable ASCII, begins with '/'
  std::vector<std::pair<std::string_view, std::string_view>> fields;
  std::uint64_t content_length = 0;
  bool is_chunked = false;
  bool is_http_1_0 = false;
  bool keep_alive = true;
  bool awaits_continue = false;  ///< the client sends its body after 100 Continue

  bool has_body() const { return is_chunked || content_length > 0; }
};

/// Finds the end of a head in bytes that arrive in pieces, scanning each byte once, and refuses early
/// what cannot become a valid head.
class head_scanner {
public:
  enum class found : std::uint8_t { incomplete, complete, faulty };

  /// `bytes` begins with the head; between calls it may only grow.
  found look(std::string_view bytes);

  std::size_t size() const { return line_; }  ///< of a complete head, with the empty line
  const head_fault& fault() const { return fault_; }

private:
  found fail(code what, std::string_view reason);

  std::size_t seen_ = 0;
  std::size_t line_ = 0;  ///< where the current line begins
  std::size_t lines_ = 0;
  head_fault fault_;
};

/// Checks a complete head, empty line included. `into` is only valid when nothing is returned.
std::optional<head_fault> check_head(std::string_view bytes, request_head& into);

bool equal_ignoring_case(std::string_view a, std::string_view b);
std::string_view without_blanks(std::string_view text);

}  // namespace callboard::http
