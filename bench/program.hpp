#pragma once

#include "bench/options.hpp"

#include <exception>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

/// What the main functions of all measuring programs share.
namespace bench {

/// The exit code: 0, 64 when an argument is wrong, 1 when anything else went wrong.
template <class Run>
int exit_code_of(std::string_view program, Run&& run) {
  try {
    run();
    return 0;
  } catch (const std::invalid_argument& e) {
    std::cerr << program << ": " << e.what() << std::endl;
    return 64;
  } catch (const std::exception& e) {
    std::cerr << program << ": " << e.what() << std::endl;
    return 1;
  }
}

/// One thing that a program can do.
struct mode {
  std::string_view name;
  std::function<void(options&)> run;
};

/// The first argument names a mode, which reads the others.
inline int run_mode(std::string_view program, int argc, char** argv, std::initializer_list<mode> modes) {
  return exit_code_of(program, [&] {
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    std::string names;
    for (const auto& one : modes) {
      if (one.name == wanted) {
        options given{argc, argv, 2};
        return one.run(given);
      }
      names.append(names.empty() ? "one of " : ", ").append(one.name);
    }
    throw std::invalid_argument(names);
  });
}

}  // namespace bench
