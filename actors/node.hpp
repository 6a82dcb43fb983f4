#pragma once

#include "actors/front.hpp"
#include "actors/request.hpp"
#include "messages/people.hpp"
#include "persistence/readers.hpp"
#include "persistence/store.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace callboard::actors {

struct environment;
class kind_host;
struct kind_settings;

/// What a node needs to know; the settings fill it.
struct node_options {
  std::string name = "main";
  int worker_threads = 1;
  int reader_threads = 2;
  int residents_max = 50'000;
  std::int64_t state_bytes_max = std::int64_t{1} << 30;
  milliseconds idle{60'000};
  int entity_requests_max = 1'024;
  std::size_t batch_events_max = 1'000;
  std::size_t batch_bytes_max = std::size_t{1} << 20;
  milliseconds patience{5'000};
  milliseconds request_retention{24 * 3'600'000};
  int pool_threads = 4;                        ///< for work outside actors
  std::shared_ptr<const kind_settings> kinds;  ///< none: the defaults

  // For tests: kinds beyond those of the server, and what comes between opening the store and starting
  std::function<void(std::map<std::string_view, std::unique_ptr<kind_host>>&, environment&)> more_kinds;
  std::function<void()> opened;
};

/// Figures of this moment, for operators.
struct node_metrics {
  std::int64_t residents = 0;
  std::int64_t timers_waiting = 0;  ///< in memory
  std::int64_t timers_overdue = 0;
  std::int64_t commits = 0;  ///< since the start
  std::int64_t events = 0;
  std::int64_t fenced = 0;
  std::int64_t poisoned = 0;
  double commits_per_s = 0;  ///< over the last minute
  double commit_p50_ms = 0;
  double commit_p99_ms = 0;
  bool store_reachable = true;
};

/// POST /applicants on its way; answered with the applicant, a refusal or an earlier answer.
class registration : public request {
public:
  register_applicant command;
  virtual void answer(applicant a) = 0;
};

/// One process of Callboard: the actors, the journal writer and the readers behind one door. Every call returns at
/// once; callbacks come from other threads and must not block.
class node {
public:
  /// Opens the store (throws its errors) and starts everything.
  node(node_options options, std::unique_ptr<persistence::store> store);
  ~node();
  /// Takes nothing new, waits for what was decided, gives unused ids back.
  void stop();

  /// To its entity, which answers.
  void send(request_ptr r);
  void send(std::shared_ptr<registration> r);

  /// The front of a kind, whose calls a caller may use before and after asking an entity.
  template <class Kind>
  typename front_of<Kind>::type& front() {
    return *static_cast<typename front_of<Kind>::type*>(front(Kind::name));
  }
  /// Looked up together with others' questions; nullopt inside: no such applicant. code: the store did not answer.
  void find_applicant(applicant_id id, std::function<void(std::variant<std::optional<applicant>, code>)> sink);

  /// From this node's block; nullopt when the next block has not come yet.
  std::optional<std::int64_t> fresh_id(std::string_view of);

  /// From now on nobody waits for something to happen: who does is answered with what there is.
  void drain();

  persistence::readers& readers();  ///< for lists, which may take their time
  persistence::readers& lookups();  ///< for what commands wait for
  persistence::store& store();
  instant now() const;
  node_metrics metrics() const;

private:
  void* front(std::string_view kind);

  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace callboard::actors
