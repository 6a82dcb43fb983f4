#pragma once

#include "actors/timekeeper.hpp"
#include "messages/entity_id.hpp"
#include "persistence/journal_writer.hpp"
#include "persistence/readers.hpp"
#include "persistence/spine_rows.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace callboard::actors {

using stored_answers = persistence::grouped<std::string, persistence::request_row>;

/// What every entity actor may use. Outlives all of them.
struct environment {
  caf::actor_system& system;
  timekeeper& time;
  persistence::journal_writer& writer;
  persistence::readers& loaders;
  stored_answers& answers;
  std::function<void(const entity_id&, instant)> arm;
  std::function<std::chrono::steady_clock::time_point()> steady_now = [] { return std::chrono::steady_clock::now(); };
  milliseconds answers_kept{24 * 3'600'000};
  milliseconds finished_kept{24 * 3'600'000};  ///< how long what is over can be looked at
  std::atomic<bool> draining{false};           ///< nobody waits for something to happen any more
};

/// What a supervisor sees of a resident without asking it.
struct resident_metrics {
  std::atomic<int> requests{0};
  std::atomic<std::int64_t> weight{0};
};

class request;
using request_ptr = std::shared_ptr<request>;

/// Everything the machinery must know of a kind to run its entities.
class kind_host {
public:
  virtual ~kind_host() = default;
  virtual std::string_view name() const = 0;
  virtual caf::actor spawn(std::string key, caf::actor supervisor, std::shared_ptr<resident_metrics> metrics) = 0;
  /// What has to be done from time to time and nobody asks for (retention); `ended` is called once for each when it is
  /// over. Nothing when there is nothing to do.
  virtual std::vector<request_ptr> maintenance(persistence::reader& from, instant now,
                                               std::function<void(bool accepted)> ended) = 0;
};

}  // namespace callboard::actors
