#pragma once

#include "random_run.hpp"

namespace callboard::simulation {

/// A random history of counters.
class sample_run final : public random_run {
public:
  explicit sample_run(unsigned seed);

private:
  void command() override;
  void interfere() override;
  void touch_all() override;
  void check() override;

  world world_;
  std::vector<std::string> counters_;
  std::string failing_;  ///< the rules of this one fail now and then, so it may be quarantined
  int others_ = 0;
};

}  // namespace callboard::simulation
