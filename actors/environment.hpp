#pragma once

#include "actors/request.hpp"
#include "actors/timekeeper.hpp"
#include "actors/worker_pool.hpp"
#include "messages/entity_id.hpp"
#include "messages/people.hpp"
#include "persistence/journal_writer.hpp"
#include "persistence/readers.hpp"
#include "persistence/spine_rows.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <any>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <variant>

namespace callboard::actors {

using stored_answers = persistence::grouped<std::string, persistence::request_row>;

/// Someone who applies: an id and, when it may not be stored yet, the row to write with the decision.
struct person {
  applicant_id id;
  new_applicant row;
};

/// What every entity actor and front may use. Outlives all of them.
struct environment {
  caf::actor_system& system;
  timekeeper& time;
  persistence::journal_writer& writer;
  persistence::readers& loaders;
  stored_answers& answers;
  std::function<void(const entity_id&, instant)> arm;
  std::function<std::chrono::steady_clock::time_point()> steady_now = [] { return std::chrono::steady_clock::now(); };
  milliseconds answers_kept{24 * 3'600'000};
  std::atomic<bool> draining{false};  ///< nobody waits for something to happen any more

  persistence::readers* lookups = nullptr;  ///< short queries that commands wait for
  persistence::readers* readers = nullptr;  ///< lists, which may take their time
  worker_pool* pool = nullptr;
  /// To its entity's supervisor, past the front.
  std::function<void(request_ptr)> forward{};
  /// To its entity as any caller's, through the front.
  std::function<void(request_ptr)> send{};
  /// Runs it after a pause, in no actor's turn.
  std::function<void(milliseconds, std::function<void()>)> after{};
  /// A request of the target's kind with this command (which must be of that kind); the outcome goes to `done`.
  std::function<request_ptr(const entity_id& target, const std::any& command,
                            std::function<void(std::variant<std::any, refusal>)> done)>
      make_request{};

  using person_sink = std::function<void(std::variant<person, code>)>;
  /// Whose e-mail this is; a new one gets a fresh id and the name. `lost` is a row that lost its e-mail to another id.
  std::function<void(std::string name, std::string email, new_applicant lost, person_sink sink)>
      find_or_create_person{};
  /// Whether somebody has this id; nullopt inside: no. A code when the store did not answer.
  std::function<void(applicant_id, std::function<void(std::variant<std::optional<applicant>, code>)>)> find_applicant{};
};

/// What a supervisor sees of a resident without asking it.
struct resident_metrics {
  std::atomic<int> requests{0};
  std::atomic<std::int64_t> weight{0};
};

}  // namespace callboard::actors
