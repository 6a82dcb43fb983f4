#pragma once

#include "base/instant.hpp"
#include "messages/lease.hpp"
#include "messages/queue/terms.hpp"

#include <array>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

/// The order of claims. A line holds the pending jobs of one type, one weight and one flow key in the order of their
/// age; a type orders its lines by their first jobs, a queue its types by their first lines. So the next job of any
/// choice of types is found by comparing first jobs, whatever the backlog.
namespace callboard::queue {

struct job_type;
struct line;
struct flow;

/// Fields that few jobs have, kept apart so that the others stay small.
struct cold_fields {
  std::optional<std::int64_t> ttl_s;
  std::optional<std::string> unique_key;
  std::optional<std::string> flow_key;
  std::string fingerprint;  ///< of a dead job
  std::optional<std::string> error_code;
};

/// A job that is not finished, or dead, without its payload.
struct job {
  std::string id;
  job_type* type = nullptr;
  line* in = nullptr;  ///< while pending
  queue::status status = queue::status::pending;
  bool cancel_requested = false;
  std::int32_t slot = 0;
  std::int32_t weight = 5;
  std::int32_t attempts = 0;
  std::int32_t max_attempts = 4;
  std::int32_t redrives = 0;
  instant run_at;  ///< it ages from then on
  instant created_at;
  instant updated_at;
  std::optional<instant> claimed_at;
  std::int64_t content = 0;
  std::unique_ptr<lease> held;
  std::unique_ptr<cold_fields> cold;

  const std::optional<std::string>& unique_key() const;
  const std::optional<std::string>& flow_key() const;
  std::optional<std::int64_t> ttl_s() const { return cold ? cold->ttl_s : std::nullopt; }
  cold_fields& more() {
    if (!cold)
      cold = std::make_unique<cold_fields>();
    return *cold;
  }
};

/// The order within a line: by age, then by creation, then by id; without aging by creation and id only.
struct older {
  bool strict = false;
  bool operator()(const job* a, const job* b) const {
    if (!strict && a->run_at != b->run_at)
      return a->run_at < b->run_at;
    if (a->created_at != b->created_at)
      return a->created_at < b->created_at;
    return a->id < b->id;
  }
};

struct line {
  using order = __gnu_pbds::tree<const job*, __gnu_pbds::null_type, older, __gnu_pbds::rb_tree_tag,
                                 __gnu_pbds::tree_order_statistics_node_update>;

  line(std::string n, job_type& of, std::int64_t w, flow* f, bool strict)
      : name{std::move(n)}, type{of}, weight{w}, key{f}, jobs{older{strict}} {}

  std::string name;  ///< weight and key
  job_type& type;
  std::int64_t weight;
  flow* key;  ///< null: unlimited
  order jobs;
  bool listed = false;  ///< in `ready` of its type: not empty and its key not at its limit
  std::int64_t aging_ms = 0;

  const job* head() const { return *jobs.begin(); }
  /// Weight plus time waited, less the same constant for every job: so it does not change while a job waits.
  std::int64_t score(const job* j) const { return aging_ms > 0 ? weight * aging_ms - to_ms(j->run_at) : weight; }
};

/// Which of the first jobs of two lines is claimed first.
inline bool precedes(const line& a, const job* x, const line& b, const job* y) {
  if (const auto p = a.score(x), q = b.score(y); p != q)
    return p > q;
  if (x->created_at != y->created_at)
    return x->created_at < y->created_at;
  return x->id < y->id;
}

struct line_before {
  bool operator()(const line* a, const line* b) const { return precedes(*a, a->head(), *b, b->head()); }
};

/// How often something happened in the last minute.
class meter {
public:
  void count(instant at, std::int64_t n = 1) {
    auto& b = buckets_[index(at)];
    if (b.slice != slice(at))
      b = {slice(at), 0};
    b.count += n;
  }
  double per_second(instant now) const {
    std::int64_t sum = 0;
    for (const auto& b : buckets_)
      if (b.slice > slice(now) - slices)
        sum += b.count;
    return static_cast<double>(sum) / (static_cast<double>(slices) * slice_ms / 1000.0);
  }

private:
  static constexpr std::int64_t slices = 12;
  static constexpr std::int64_t slice_ms = 5'000;
  struct bucket {
    std::int64_t slice = 0;
    std::int64_t count = 0;
  };
  static std::int64_t slice(instant at) { return to_ms(at) / slice_ms; }
  static std::size_t index(instant at) { return static_cast<std::size_t>(slice(at) % slices); }
  std::array<bucket, slices> buckets_{};
};

struct job_type {
  std::string name;
  std::unordered_map<std::string, std::unique_ptr<line>> lines;  ///< by weight and key
  std::set<line*, line_before> ready;
  std::int64_t pending = 0;
  std::int64_t scheduled = 0;
  std::int64_t processing = 0;
  std::int64_t dead = 0;
  meter enqueued, claimed, completed, failed;
};

struct type_before {
  bool operator()(const job_type* a, const job_type* b) const {
    return line_before{}(*a->ready.begin(), *b->ready.begin());
  }
};

/// The jobs of one flow key, whose number in flight is limited.
struct flow {
  std::string key;
  std::int64_t in_flight = 0;
  std::set<line*> lines;
};

}  // namespace callboard::queue
