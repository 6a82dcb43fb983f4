#include "base/log.hpp"
#include "cli/commands.hpp"
#include "config/exit_codes.hpp"
#include "config/settings.hpp"
#include "http/transport/server.hpp"
#include "persistence/store.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::cli {
namespace {

struct command {
  std::string_view name;
  std::size_t operands_wanted;  ///< how many words follow its name
  std::string_view synopsis;
  std::string_view summary;
  int (*run)(const config::settings&, const operands&);
};

constexpr std::array commands{
    command{"serve", 0, "serve", "run the server (the default)", &serve},
    command{"migrate", 0, "migrate", "bring the store's schema up to date and end", &migrate},
    command{"verify", 0, "verify",
            "fold the journal, compare it with the rows, check the hash chain; exit 1 when something differs", &verify},
    command{"inspect", 2, "inspect KIND KEY",
            "print what the store knows of one entity, as JSON; exit 1 when there is none", &inspect},
};

std::string usage() {
  std::string page = "Callboard decides who gets what when many race for it.\n\n"
                     "usage: callboard <command> [options]\n\ncommands:\n";
  const auto line = [&](std::string_view synopsis, std::string_view summary) {
    constexpr std::size_t width = 18;
    page.append("  ").append(synopsis).append(width - std::min(width, synopsis.size()), ' ').append(summary);
    page += '\n';
  };
  for (const auto& one : commands)
    line(one.synopsis, one.summary);
  line("version", "print the version");
  return page + "\ncallboard serve --help lists every option.\n";
}

int complain(const std::string& what, int code) {
  std::cerr << "callboard: " << what << '\n';
  return code;
}

int run(const command& chosen, std::vector<std::string> arguments) {
  if (std::ranges::any_of(arguments, [](const auto& word) { return word == "--help" || word == "-h"; })) {
    std::cout << "usage: callboard " << chosen.synopsis << " [options]\n\n" << config::help_text();
    return exit_code::ok;
  }
  const auto last = std::ranges::find_if(arguments, [](const auto& word) { return word.starts_with('-'); });
  const auto words = static_cast<std::size_t>(last - arguments.begin());
  // What a command without operands is given too much, reading the settings refuses by name.
  if (words < chosen.operands_wanted)
    throw config::usage_error{"usage: callboard " + std::string{chosen.synopsis} + " [options]"};
  const auto first_option = arguments.begin() + static_cast<std::ptrdiff_t>(chosen.operands_wanted);
  const operands given{arguments.begin(), first_option};
  arguments.erase(arguments.begin(), first_option);

  const auto settings = config::read_settings(arguments, config::process_environment());
  for (const auto& warning : settings.warnings)
    std::cerr << "callboard: " << warning << '\n';
  set_log_level(from_name<log_level>(settings.log_level).value_or(log_level::info));
  return chosen.run(settings, given);
}

int run(std::vector<std::string> arguments) {
  std::string name = "serve";
  if (!arguments.empty() && (arguments.front() == "--help" || arguments.front() == "-h"))
    name = "help";
  else if (!arguments.empty() && arguments.front() == "--version")
    name = "version";
  else if (!arguments.empty() && !arguments.front().starts_with('-')) {
    name = arguments.front();
    arguments.erase(arguments.begin());
  }
  if (name == "help") {
    std::cout << usage();
    return exit_code::ok;
  }
  if (name == "version") {
    std::cout << CALLBOARD_VERSION << '\n';
    return exit_code::ok;
  }
  const auto chosen = std::ranges::find(commands, name, &command::name);
  if (chosen == commands.end())
    return complain("there is no command '" + name + "'; 'callboard help' lists them", exit_code::usage);
  return run(*chosen, std::move(arguments));
}

}  // namespace
}  // namespace callboard::cli

int main(int argc, char** argv) {
  using namespace callboard;
  using cli::complain;
  try {
    return cli::run({argv + 1, argv + argc});
  } catch (const config::usage_error& e) {
    return complain(e.what(), e.code());
  } catch (const http::address_in_use& e) {
    return complain(e.what(), exit_code::port_taken);
  } catch (const persistence::store_in_use& e) {
    return complain(e.what(), exit_code::store_in_use);
  } catch (const persistence::schema_too_new& e) {
    return complain(e.what(), exit_code::refused);
  } catch (const persistence::store_error& e) {
    return complain(e.what(), exit_code::store_unreachable);
  } catch (const std::exception& e) {
    return complain(e.what(), exit_code::internal);
  }
}
