#include "config/options.hpp"

#include <algorithm>

namespace callboard::config {

namespace {

constexpr std::size_t columns = 100;

std::string heading(std::string_view group) {
  if (group == "http")
    return "HTTP";
  std::string capitalised{group};
  capitalised[0] = static_cast<char>(capitalised[0] - 'a' + 'A');
  return capitalised;
}

// Breaks lines between words and indents them by `lead`, except the first, which is indented already.
std::string wrapped(std::string_view sentence, std::size_t lead) {
  std::string page;
  auto used = lead;
  while (!sentence.empty()) {
    const auto end = std::min(sentence.find(' '), sentence.size());
    const auto fresh = page.empty();
    if (!fresh && used + 1 + end > columns) {
      page.append("\n").append(lead, ' ');
      used = lead;
    } else if (!fresh) {
      page += ' ';
      ++used;
    }
    page.append(sentence.substr(0, end));
    used += end;
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
  }
  return page;
}

std::string_view value_name(const option& shown) {
  constexpr std::string_view names[] = {"NUMBER", "WORD", "TEXT", "LIST"};
  return names[shown.value.index()];
}

// Shorter than expected(), because the placeholder already says that it is a number.
std::string limits(const option& shown) {
  if (const auto* range = std::get_if<integer_range>(&shown.value))
    return std::to_string(range->least) + " to " + std::to_string(range->most);
  return shown.expected();
}

}  // namespace

std::string help_text() {
  const settings defaults;
  const auto synopsis = [](const option& shown) {
    return "  --" + std::string{shown.name} + "=" + std::string{value_name(shown)};
  };
  std::size_t lead = 0;
  for (const auto& shown : options())
    lead = std::max(lead, synopsis(shown).size() + 2);

  std::string page = wrapped("Options are taken from the arguments, then from the environment (--http.port is "
                             "CALLBOARD_HTTP_PORT), then from the configuration file, then from the defaults.",
                             0);
  page += "\n\nGeneral\n";
  const auto entry = [&](std::string line, std::string_view sentence) {
    line.resize(lead, ' ');
    page.append(line).append(wrapped(sentence, lead)).append("\n");
  };
  entry("  --help, -h", "Show this page.");
  entry("  --config=PATH", "Configuration file; without it CALLBOARD_CONFIG names one, or "
                           "/etc/callboard/callboard.conf is read if it exists.");

  std::string_view group;
  for (const auto& shown : options()) {
    if (shown.group() != group) {
      group = shown.group();
      page.append("\n").append(heading(group)).append("\n");
    }
    const auto preset = shown.shown(defaults);
    auto sentence = std::string{shown.help} + " (" + limits(shown) + "; default " + (preset.empty() ? "empty" : preset);
    if (!shown.alias.empty())
      sentence += "; also " + std::string{shown.alias};
    entry(synopsis(shown), sentence + ")");
  }
  return page;
}

std::string default_file() {
  const settings defaults;
  std::string page = "# Callboard's options, each with its default. Name this file by --config=PATH or\n"
                     "# CALLBOARD_CONFIG, or put it at /etc/callboard/callboard.conf; arguments and environment\n"
                     "# variables win over it. A # at the start of a line or after a blank begins a comment.\n";
  std::string_view group;
  for (const auto& shown : options()) {
    // One blank line between groups, none inside.
    if (shown.group() != group)
      page += "\n";
    group = shown.group();
    page.append("# ").append(shown.help).append("\n").append(shown.name).append(" =");
    if (const auto preset = shown.shown(defaults); !preset.empty())
      page.append(" ").append(preset);
    page += "\n";
  }
  return page;
}

}  // namespace callboard::config
