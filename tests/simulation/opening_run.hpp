#pragma once

#include "openings.hpp"
#include "random_run.hpp"

#include <utility>

namespace callboard::simulation {

/// A random history of openings and of the people who apply to them.
class opening_run final : public random_run {
public:
  explicit opening_run(unsigned seed);

private:
  void command() override;
  void interfere() override;
  void touch_all() override;
  void check() override {
    check_people();
    check_openings();
  }
  void check_people();
  void check_openings();

  opening_world world_;
  std::vector<std::string> openings_;
  std::string counter_;
  std::vector<std::pair<std::shared_ptr<opening_probe>, std::string>> applied_;  ///< by e-mail
  int strangers_ = 0;
};

}  // namespace callboard::simulation
