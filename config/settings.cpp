#include "config/settings.hpp"

#include "config/forms.hpp"
#include "config/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

namespace callboard::config {

namespace {

constexpr std::string_view variable_prefix = "CALLBOARD_";

// One given value; `where` names its source in error messages.
struct assignment {
  std::string where;
  const option* target;
  std::string written;
};

std::string trimmed(std::string_view line) {
  const auto first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos)
    return {};
  return std::string{line.substr(first, line.find_last_not_of(" \t\r") - first + 1)};
}

[[noreturn]] void unknown(const std::string& where, const std::string& suggestion) {
  throw usage_error{where + ": no such option" +
                    (suggestion.empty() ? "; --help lists them all" : "; did you mean " + suggestion + "?")};
}

void apply(settings& to, const assignment& given) {
  if (given.target->assign(to, given.written))
    return;
  throw usage_error{given.where + ": expected " + given.target->expected() + ", got \"" +
                    without_password(given.written) + "\""};
}

// Accepts --name=value and --name value; anything else is an error.
class argument_reader {
public:
  explicit argument_reader(const std::vector<std::string>& items) {
    for (next_ = items.begin(), end_ = items.end(); next_ != end_;)
      take(*next_++);
  }

  std::vector<assignment> given;
  std::string file;

private:
  void take(const std::string& word) {
    if (!word.starts_with("--") || word.size() == 2)
      throw usage_error{"argument \"" + without_password(word) + "\": not an option; options are written --name=value"};
    const auto equals = word.find('=');
    const auto name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const auto where = "argument --" + name;
    const auto* target = find_option(name);
    if (!target && name != "config") {
      const auto* meant = nearest_option(name);
      unknown(where, meant ? "--" + std::string{meant->name} : "");
    }
    if (!seen_.insert(name).second)
      throw usage_error{where + ": given twice"};
    auto written = equals == std::string::npos ? next_value(where) : word.substr(equals + 1);
    if (target)
      given.push_back({where, target, std::move(written)});
    else if (written.empty())
      throw usage_error{where + ": expected the path of a configuration file, got \"\""};
    else
      file = std::move(written);
  }

  std::string next_value(const std::string& where) {
    if (next_ == end_ || next_->starts_with("--"))
      throw usage_error{where + ": needs a value"};
    return *next_++;
  }

  std::vector<std::string>::const_iterator next_;
  std::vector<std::string>::const_iterator end_;
  std::set<std::string> seen_;
};

// Variables of the test runner and of benchmarks; a server that they start inherits them.
bool is_reserved(std::string_view variable) {
  return variable == "CALLBOARD_CONFIG" || variable == "CALLBOARD_BIN" || variable.starts_with("CALLBOARD_TEST_") ||
         variable.starts_with("CALLBOARD_BENCH_");
}

const option* option_of(std::string_view variable) {
  const auto all = options();
  const auto found = std::ranges::find(all, variable, &option::variable);
  return found == all.end() ? nullptr : &*found;
}

// The option name that a variable stands for: CALLBOARD_HTTP_PROT is http.prot.
std::string name_in(std::string_view variable) {
  std::string name{variable.substr(variable_prefix.size())};
  std::ranges::transform(name, name.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  if (const auto underscore = name.find('_'); underscore != std::string::npos)
    name[underscore] = '.';
  return name;
}

// A misspelt option is an error. But orchestrators set CALLBOARD_PORT, CALLBOARD_SERVICE_HOST and the
// like for a service named callboard; those must not keep the server from starting.
bool is_mistake(const std::string& name, const option* nearest) {
  const auto has_dot = [](std::string_view dotted) { return dotted.find('.') < dotted.size(); };
  return (nearest && has_dot(name) == has_dot(nearest->name)) ||
         std::ranges::any_of(options(), [&](const option& candidate) {
           return has_dot(candidate.name) && name.starts_with(std::string{candidate.group()} + ".");
         });
}

std::vector<assignment> from_environment(const environment& variables, settings& to) {
  std::vector<assignment> given;
  for (const auto& [variable, written] : variables) {
    if (!variable.starts_with(variable_prefix) || is_reserved(variable))
      continue;
    const auto where = "environment variable " + variable;
    if (const auto* target = option_of(variable)) {
      given.push_back({where, target, written});
      continue;
    }
    const auto name = name_in(variable);
    const auto* nearest = nearest_option(name);
    if (is_mistake(name, nearest))
      unknown(where, nearest ? nearest->variable() : "");
    to.warnings.push_back(where + " is not an option and has no effect");
  }
  return given;
}

// An alias is set by the platform, so it only counts where argument and own variable are absent.
std::vector<assignment> from_aliases(const environment& variables, const std::vector<assignment>& stronger) {
  std::vector<assignment> given;
  for (const auto& candidate : options()) {
    const auto found = variables.find(candidate.alias);
    if (candidate.alias.empty() || found == variables.end())
      continue;
    if (std::ranges::find(stronger, &candidate, &assignment::target) == stronger.end())
      given.push_back({"environment variable " + found->first + " (" + std::string{candidate.name} + ")", &candidate,
                       found->second});
  }
  return given;
}

std::vector<assignment> from_file(const std::filesystem::path& path) {
  std::ifstream file{path};
  if (!file || std::filesystem::is_directory(path))
    throw usage_error{"configuration file " + path.string() + ": cannot be read"};
  std::vector<assignment> given;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    auto where = path.string() + ":" + std::to_string(number);
    // A # inside a word is no comment: passwords and paths may contain one.
    for (auto hash = line.find('#'); hash != std::string::npos; hash = line.find('#', hash + 1))
      if (hash == 0 || line[hash - 1] == ' ' || line[hash - 1] == '\t') {
        line.resize(hash);
        break;
      }
    if (trimmed(line).empty())
      continue;
    const auto equals = line.find('=');
    if (equals == std::string::npos)
      throw usage_error{where + ": expected name = value"};
    const auto name = trimmed(std::string_view{line}.substr(0, equals));
    where += ": " + name;
    const auto* target = find_option(name);
    if (!target) {
      const auto* meant = nearest_option(name);
      unknown(where, meant ? std::string{meant->name} : "");
    }
    if (std::ranges::find(given, target, &assignment::target) != given.end())
      throw usage_error{where + ": given twice"};
    given.push_back({where, target, trimmed(std::string_view{line}.substr(equals + 1))});
  }
  if (file.bad())
    throw usage_error{"configuration file " + path.string() + ": cannot be read"};
  return given;
}

std::filesystem::path chosen_file(const argument_reader& arguments, const environment& variables,
                                  const std::filesystem::path& system_file) {
  if (!arguments.file.empty())
    return arguments.file;
  if (const auto named = variables.find("CALLBOARD_CONFIG"); named != variables.end()) {
    if (named->second.empty())
      throw usage_error{"environment variable CALLBOARD_CONFIG: expected the path of a configuration file, "
                        "got \"\""};
    return named->second;
  }
  std::error_code ignored;
  return std::filesystem::exists(system_file, ignored) ? system_file : std::filesystem::path{};
}

}  // namespace

environment process_environment() {
  environment variables;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view line{*entry};
    const auto equals = line.find('=');
    if (equals != std::string_view::npos)
      variables.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return variables;
}

settings read_settings(const std::vector<std::string>& arguments, const environment& variables,
                       const std::filesystem::path& system_file) {
  settings chosen;
  // --help works whatever else is wrong.
  chosen.help_wanted =
      std::ranges::any_of(arguments, [](const auto& word) { return word == "--help" || word == "-h"; });
  if (chosen.help_wanted)
    return chosen;

  const argument_reader from_arguments{arguments};
  const auto from_variables = from_environment(variables, chosen);
  auto stronger = from_arguments.given;
  stronger.insert(stronger.end(), from_variables.begin(), from_variables.end());

  chosen.file = chosen_file(from_arguments, variables, system_file);
  if (!chosen.file.empty())
    for (const auto& given : from_file(chosen.file))
      apply(chosen, given);
  for (const auto& given : from_aliases(variables, stronger))
    apply(chosen, given);
  for (const auto& given : from_variables)
    apply(chosen, given);
  for (const auto& given : from_arguments.given) {
    apply(chosen, given);
    if (has_password(given.written))
      chosen.warnings.push_back(given.where + " holds a password, which every user of this machine can see; give "
                                              "it by CALLBOARD_STORE or in the configuration file");
  }
  validate(chosen);
  return chosen;
}

void validate(const settings& chosen) {
  if (chosen.auth_mode == "open" && !is_loopback(chosen.http_address))
    throw usage_error{"auth.mode = open admits everybody who can connect, so http.address must be "
                      "a loopback address (127.0.0.1 or ::1), not " +
                          chosen.http_address,
                      exit_code::refused};
}

}  // namespace callboard::config
