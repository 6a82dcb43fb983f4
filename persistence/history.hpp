#pragma once

#include "base/instant.hpp"
#include "messages/event_codec.hpp"
#include "messages/origin.hpp"
#include "persistence/store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Reads the journal for audit, replay and verify.
namespace callboard::persistence {

/// One event as it is stored in the journal.
struct journal_entry {
  std::int64_t position = 0;
  std::string kind;
  std::string key;
  std::int64_t seq = 0;
  std::string type;
  instant at;
  std::optional<std::string> subject;
  origin by;
  std::string data;
  std::string hash;
};

/// Where an entity's journal ends.
struct head {
  std::int64_t seq = 0;
  instant at;
  std::string hash;
  friend bool operator==(const head&, const head&) = default;
};

inline constexpr std::int64_t journal_page_rows = 5'000;

std::optional<head> find_head(reader& from, std::string_view kind, const std::string& key);

/// Keys of a kind after `after`, in the store's own order, from `heads`.
std::vector<std::string> entity_keys(reader& from, std::string_view kind, const std::string& after, std::int64_t limit);
/// The same from the first events in the journal.
std::vector<std::string> journal_keys(reader& from, std::string_view kind, const std::string& after,
                                      std::int64_t limit);

/// An entity's events with a seq greater than `after`, up to and including `until`, oldest first. Each page is one
/// query and so one snapshot.
std::vector<journal_entry> entity_page(reader& from, std::string_view kind, const std::string& key, std::int64_t after,
                                       std::optional<instant> until, std::int64_t limit = journal_page_rows);

/// Events about these subjects after (at, position), by time, then position.
std::vector<journal_entry> subjects_page(reader& from, std::string_view kind, std::vector<std::string> subjects,
                                         std::pair<instant, std::int64_t> after, std::int64_t limit);

/// Which events an audit shows.
struct audit_filter {
  std::optional<std::string> kind;
  std::optional<std::string> key;
  std::optional<instant> since;
  std::optional<instant> until;
};

/// Events after position `after` in the order of their commits; at most `limit` and about `bytes_max` of data.
struct audit_page {
  std::vector<journal_entry> events;
  std::optional<std::int64_t> next;  ///< `after` of the next page, when there may be one
};
audit_page audit(reader& from, const audit_filter& filter, std::int64_t after, std::int64_t limit,
                 std::size_t bytes_max);

/// Folds an entity's events into its state page by page, so that no connection or snapshot is held for long.
template <class Kind>
class folding {
public:
  folding(std::string key, std::optional<instant> until)
      : state{Kind::initial(key)}, key_{std::move(key)}, until_{until} {}

  /// Folds one page, calling `visit(entry, event, changes)` after each event; false when it was the last page.
  template <class Visit>
  bool step(reader& from, Visit&& visit) {
    const auto page = entity_page(from, Kind::name, key_, seq, until_);
    for (const auto& entry : page) {
      const auto event = decode_event<typename Kind::event>(entry.type, entry.data);
      typename Kind::changes changed;
      Kind::evolve(state, event, entry.at, changed);
      seq = entry.seq;
      visit(entry, event, changed);
    }
    return static_cast<std::int64_t>(page.size()) == journal_page_rows;
  }

  typename Kind::state state;
  std::int64_t seq = 0;  ///< of the last event folded

private:
  std::string key_;
  std::optional<instant> until_;
};

}  // namespace callboard::persistence
