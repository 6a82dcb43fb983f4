#include "actors/queue/rules.hpp"
#include "messages/entity_id.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace callboard::queue {

std::string fingerprint(std::string_view type, const std::optional<std::string>& error_code, std::string_view error) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto is_hex = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::string plain;
  for (std::size_t i = 0; i < error.size();) {
    auto end = i;
    while (end < error.size() && is_word(error[end]))
      ++end;
    auto word = error.substr(i, end - i);
    if (word.starts_with("0x") || word.starts_with("0X"))
      word.remove_prefix(2);
    const bool counts = std::all_of(word.begin(), word.end(), is_hex) &&
                        (word.size() >= 8 || std::any_of(word.begin(), word.end(), is_digit));
    if (!counts)
      std::copy_if(word.begin(), word.end(), std::back_inserter(plain), [&](char c) { return !is_digit(c); });
    if (end < error.size())
      plain += error[end];
    i = end + 1;
  }
  auto h = stable_hash(type);
  h = stable_hash(std::string_view{"\0", 1}, h);
  h = stable_hash(error_code.value_or(""), h);
  h = stable_hash(std::string_view{"\0", 1}, h);
  h = stable_hash(plain, h);
  char out[17];
  std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(h));
  return out;
}

milliseconds backoff(std::int64_t base_ms, std::int64_t attempts, double share) {
  constexpr double most_ms = 15 * 60 * 1'000;
  const auto full = std::min(most_ms, static_cast<double>(base_ms) * std::pow(2.0, static_cast<double>(attempts)));
  return milliseconds{std::llround(full * share)};
}

}  // namespace callboard::queue
