#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace callboard {

enum class log_level : std::uint8_t { debug, info, warn, error };

constexpr std::array<std::string_view, 4> names_of(log_level) { return {"debug", "info", "warn", "error"}; }

/// What may stand in a log line. Never a name, an e-mail, a body or a token.
class log_value {
public:
  log_value(std::string_view text) : value_{text} {}
  log_value(const char* text) : value_{std::string_view{text}} {}
  log_value(const std::string& text) : value_{std::string_view{text}} {}
  log_value(std::same_as<bool> auto truth) : value_{truth} {}
  log_value(std::integral auto number) requires(!std::same_as<decltype(number), bool>)
      : value_{static_cast<std::int64_t>(number)} {}
  log_value(std::floating_point auto number) : value_{static_cast<double>(number)} {}

  void write(std::string& out) const;

private:
  std::variant<std::string_view, bool, std::int64_t, double> value_;
};

struct log_field {
  std::string_view key;
  log_value value;
};

/// Writes one line of JSON to stderr from any thread. A reader of stderr that does not keep up, or a
/// full disk, costs lines (counted, and told by the next line that gets through), never time.
void log_line(log_level level, std::string_view message, std::initializer_list<log_field> fields = {});

/// Whether a line of this level would be written.
bool logs(log_level level);
void set_log_level(log_level least);
/// Where lines go instead of stderr.
void log_to(int descriptor);
std::uint64_t log_lines_dropped();

}  // namespace callboard
