#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bench {

/// `--name=value` arguments. Each one is asked for by name; what nobody asked for is a mistake.
class options {
public:
  options(int argc, char** argv, int first) {
    for (int i = first; i < argc; ++i) {
      const std::string_view word{argv[i]};
      const auto equals = word.find('=');
      if (!word.starts_with("--") || equals == std::string_view::npos)
        throw std::invalid_argument("not of the form --name=value: " + std::string{word});
      given_[std::string{word.substr(2, equals - 2)}] = word.substr(equals + 1);
    }
  }

  std::string text(const std::string& name, std::string preset = {}) {
    const auto it = given_.find(name);
    if (it == given_.end())
      return preset;
    auto value = it->second;
    given_.erase(it);
    return value;
  }

  std::int64_t integer(const std::string& name, std::int64_t preset, std::int64_t least, std::int64_t most) {
    const auto written = text(name, std::to_string(preset));
    std::int64_t value = 0;
    const auto [stop, problem] = std::from_chars(written.data(), written.data() + written.size(), value);
    if (problem != std::errc{} || stop != written.data() + written.size() || value < least || value > most)
      throw std::invalid_argument("--" + name + " must be from " + std::to_string(least) + " to " +
                                  std::to_string(most));
    return value;
  }

  double real(const std::string& name, double preset, double least, double most) {
    const auto written = text(name, std::to_string(preset));
    double value = 0;
    const auto [stop, problem] = std::from_chars(written.data(), written.data() + written.size(), value);
    if (problem != std::errc{} || stop != written.data() + written.size() || !(value >= least && value <= most))
      throw std::invalid_argument("--" + name + " must be from " + std::to_string(least) + " to " +
                                  std::to_string(most));
    return value;
  }

  /// To be called when all names were asked for.
  void finish() const {
    if (!given_.empty())
      throw std::invalid_argument("unknown option --" + given_.begin()->first);
  }

private:
  std::map<std::string, std::string> given_;
};

}  // namespace bench
