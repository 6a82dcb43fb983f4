#pragma once

#include "actors/board_job/front.hpp"
#include "actors/board_job/reads.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace callboard::board_job {

/// A claim_next on its way: looks for jobs that match, claims the oldest that is still free, looks again when others
/// were faster. Each step is a callback; nothing blocks.
class front::search : public std::enable_shared_from_this<search> {
public:
  search(front& of, request outer);
  void begin();

private:
  class attempt;

  const claim_next& command() const { return std::get<claim_next>(outer_->command); }
  void find_filter();
  void look();
  void find_candidates();
  void try_next();
  void send(const std::string& key, claims_in_flight::hold held);
  void refused(refusal why);
  void look_again();
  /// Runs a query on a reader's thread; the search ends when the store does not answer.
  template <class Query, class Then>
  void read(Query query, Then then);

  front& front_;
  request outer_;
  job_filter filter_;
  bool is_known_ = false;  ///< the run has a job already: whatever that job says is the answer
  std::vector<job_name> found_;
  std::size_t next_ = 0;
  std::optional<refusal> unavailable_;
  std::size_t unavailable_count_ = 0;
  milliseconds pause_{2};
};

}  // namespace callboard::board_job
