#pragma once

#include "persistence/chain.hpp"
#include "persistence/expected_rows.hpp"
#include "persistence/history.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

/// Does the journal explain what is stored? Takes no lock and runs beside a server.
namespace callboard::persistence {

/// Something that is not as it should be.
struct difference {
  std::string kind;
  std::string key;
  std::int64_t seq = 0;
  std::string where;  ///< table, row and column, or a part of the machinery
  std::string what;
};

struct verified {
  std::int64_t entities = 0;
  std::int64_t events = 0;
  std::int64_t differences = 0;
  std::int64_t moving = 0;  ///< entities that changed faster than they could be read: their rows were not compared
};

using difference_sink = std::function<void(const difference&)>;

/// When the stored timer of an entity is due.
std::optional<instant> stored_due(reader& from, std::string_view kind, const std::string& key);

/// One entity under examination.
template <class Kind>
class examination {
public:
  examination(reader& from, std::string key) : from_{from}, key_{std::move(key)}, fold_{key_, std::nullopt} {}

  /// Examines until the head stands still from beginning to end; false when it never did.
  bool run() {
    constexpr int tries = 5;
    for (int i = 0; i < tries; ++i) {
      passing_.clear();
      const auto before = find_head(from_, Kind::name, key_);
      fold();
      if (broken_)
        return true;
      compare(before);
      if (before == find_head(from_, Kind::name, key_))
        return true;
      passing_.clear();
    }
    return false;
  }

  std::int64_t events() const { return fold_.seq; }
  void report(const difference_sink& to) const {
    std::for_each(lasting_.begin(), lasting_.end(), to);
    std::for_each(passing_.begin(), passing_.end(), to);
  }

private:
  /// What the journal says stays said; a page that came later is folded on top of it.
  void fold() {
    const auto visit = [this](const journal_entry& e, const auto&, const auto& changed) { took(e, changed); };
    try {
      while (!broken_ && fold_.step(from_, visit)) {
      }
    } catch (const store_error&) {
      throw;
    } catch (const std::exception& e) {
      broken_ = true;
      add(lasting_, fold_.seq + 1, "journal", std::string{"can not be folded: "} + e.what());
    }
  }

  void took(const journal_entry& e, const typename Kind::changes& changed) {
    if (e.seq != last_.seq + 1)
      add(lasting_, e.seq, "journal.seq", "follows " + std::to_string(last_.seq));
    if (e.at < last_.at)
      add(lasting_, e.seq, "journal.at", "lies before the event before it");
    if (e.hash != chain_hash(last_.hash, Kind::name, key_, e.seq, e.type, e.at, e.subject, e.by, e.data))
      add(lasting_, e.seq, "journal.hash", "is not the hash of the event and its predecessor");
    last_ = {e.seq, e.at, e.hash};
    rows_.clear();
    Kind::rows(fold_.state, changed, e.seq, rows_);
    for (const auto& r : rows_)
      expected_.put(r);
  }

  void compare(const std::optional<head>& stored) {
    if (!stored)
      add(passing_, last_.seq, "heads", "is missing, the journal has events");
    else if (stored->seq != last_.seq)
      add(passing_, last_.seq, "heads.seq", "is " + std::to_string(stored->seq));
    else if (stored->hash != last_.hash)
      add(passing_, last_.seq, "heads.hash", "is not the last event's");
    else if (stored->at != last_.at)
      add(passing_, last_.seq, "heads.at", "is not the last event's");
    const auto differs = [this](std::string_view table, const std::string& row, std::string_view column,
                                std::string what) {
      auto where = std::string{table} + ' ' + row;
      if (!column.empty())
        (where += '.') += column;
      add(passing_, last_.seq, std::move(where), std::move(what));
    };
    expected_.begin();
    Kind::stored_rows(from_, key_, [&](const row& r) { expected_.compare(r, differs); });
    expected_.end(differs);
    compare_timer();
  }

  void compare_timer() {
    const auto deadline = Kind::deadline(fold_.state);
    const auto due = deadline || has_effects() ? stored_due(from_, Kind::name, key_) : std::nullopt;
    if (!due && deadline)
      add(passing_, last_.seq, "timers", "is missing, the state has a deadline");
    else if (!due && has_effects())
      add(passing_, last_.seq, "timers", "is missing, the state has unanswered effects");
    if (!due || !deadline)
      return;
    // A deadline in the past means at once, which cannot be before the decision.
    const auto latest = std::max(*deadline, last_.at);
    if (*due > latest)
      add(passing_, last_.seq, "timers.due", "is " + to_iso(*due) + ", after the deadline " + to_iso(latest));
  }

  bool has_effects() const {
    if constexpr (requires { Kind::outbox(fold_.state).empty(); })
      return !Kind::outbox(fold_.state).empty();
    else
      return false;
  }

  void add(std::vector<difference>& to, std::int64_t seq, std::string where, std::string what) {
    constexpr std::size_t reported_max = 50;
    if (to.size() < reported_max)
      to.push_back({std::string{Kind::name}, key_, seq, std::move(where), std::move(what)});
  }

  reader& from_;
  std::string key_;
  folding<Kind> fold_;
  head last_;
  expected_rows expected_;
  std::vector<row> rows_;
  std::vector<difference> lasting_;  ///< of the journal itself
  std::vector<difference> passing_;  ///< of this try
  bool broken_ = false;
};

/// Folds every entity of a kind and compares.
template <class Kind>
verified verify(reader& from, const difference_sink& sink) {
  constexpr std::int64_t keys_per_walk = 500;
  verified counts;
  const difference_sink counting = [&](const difference& d) {
    ++counts.differences;
    sink(d);
  };
  for (std::string last;;) {
    const auto keys = entity_keys(from, Kind::name, last, keys_per_walk);
    if (keys.empty())
      break;
    for (const auto& key : keys) {
      examination<Kind> one{from, key};
      if (!one.run())
        ++counts.moving;
      ++counts.entities;
      counts.events += one.events();
      one.report(counting);
    }
    last = keys.back();
  }
  // Journals without a head. A head is never deleted, so looking for it later than for the journal is no race.
  for (std::string last;;) {
    const auto keys = journal_keys(from, Kind::name, last, keys_per_walk);
    if (keys.empty())
      break;
    for (const auto& key : keys)
      if (!find_head(from, Kind::name, key))
        counting({std::string{Kind::name}, key, 0, "heads", "is missing, the journal has events"});
    last = keys.back();
  }
  Kind::orphaned_rows(from, [&](std::string_view table, const std::string& id) {
    counting({std::string{Kind::name}, "", 0, std::string{table} + ' ' + id, "belongs to nobody with a journal"});
  });
  return counts;
}

}  // namespace callboard::persistence
