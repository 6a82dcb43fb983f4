#include "actors/board_job/tags.hpp"

#include <algorithm>

namespace callboard::board_job {
namespace {

std::string lower(std::string_view text) {
  std::string out{text};
  for (auto& c : out)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// U+00A0, and U+2000 to U+206F: blanks, dashes and quotation marks. How many bytes of one stand at the front, or 0.
std::size_t separator_at(std::string_view text) {
  if (text.starts_with("\xc2\xa0"))
    return 2;
  const bool is_one =
      text.size() >= 3 &&
      (text.starts_with("\xe2\x80") || (text.starts_with("\xe2\x81") && static_cast<unsigned char>(text[2]) <= 0xaf));
  return is_one ? 3 : 0;
}

/// With a blank for whatever separates words beyond ASCII.
std::string spaced(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto bytes = separator_at(text);
    out += bytes > 0 ? ' ' : text.front();
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

/// Bytes of letters beyond ASCII count as letters: a word does not end at an accent.
bool is_of_a_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool has_word(const std::string& text, const std::string& word) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool begins = at == 0 || !is_of_a_word(text[at - 1]);
    const bool ends = end == text.size() || !is_of_a_word(text[end]);
    if (begins && ends)
      return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> tags_of(std::string_view title, std::string_view department,
                                 std::span<const std::string> known) {
  const auto text = spaced(lower(title) + '\n' + lower(department));
  std::vector<std::string> out;
  for (const auto& word : known)
    if (auto tag = lower(word); !tag.empty() && has_word(text, spaced(tag)))
      out.push_back(std::move(tag));
  return out;
}

}  // namespace callboard::board_job
