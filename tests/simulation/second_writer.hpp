#pragma once

#include "actors/decision.hpp"
#include "messages/event_codec.hpp"
#include "persistence/history.hpp"
#include "persistence/store.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace callboard::simulation {

/// Another process that writes to our store and does it well: events, head, rows and timer in order. What a second node
/// would do that believes it owns our entities.
class second_writer {
public:
  second_writer(persistence::store& in, instant now) : store_{in}, now_{now} {}

  template <class Kind>
  void decides(const std::string& key, const typename Kind::command& c) {
    const auto from = store_.open_reader();
    const entity_id entity{Kind::name, key};
    const auto before = persistence::find_head(*from, Kind::name, key).value_or(persistence::head{});
    persistence::folding<Kind> past{key, std::nullopt};
    while (past.step(*from, [](const auto&, const auto&, const auto&) {})) {
    }
    decision<Kind> d{past.state, std::max(now_, before.at), before.seq};
    const auto deadline = Kind::deadline(d.state());
    if (deadline && *deadline <= d.now)  // what is due is decided before anything else
      Kind::decide(d, typename Kind::tick{});
    Kind::decide(d, c);
    if (d.is_empty())  // refused
      return;
    std::vector<event> events;
    for (const auto& e : d.events) {
      auto [type, data] = encode_event(e);
      events.push_back({std::string{type}, std::move(data), Kind::subject(e)});
    }
    append(entity, before, d.now, events);
    std::vector<row> rows;
    Kind::rows(past.state, d.changed, d.version(), rows);
    for (const auto& r : rows)
      put(r);
    if (const auto due = Kind::deadline(past.state))
      wakes(entity, *due);
  }

  /// An answer to a request with this digest, as `world` makes them.
  void answers(const std::string& digest, const std::string& body, const std::string& fingerprint = "fingerprint");
  void put(const row& r);

private:
  struct event {
    std::string type;
    std::string data;
    std::optional<std::string> subject;
  };
  void append(const entity_id& to, const persistence::head& before, instant at, const std::vector<event>& events);
  void wakes(const entity_id& e, instant due);

  persistence::store& store_;
  instant now_;
};

}  // namespace callboard::simulation
