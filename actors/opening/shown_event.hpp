#pragma once

#include "messages/opening.hpp"
#include "persistence/history.hpp"

#include <optional>
#include <string>

namespace callboard::opening {

/// An event as timelines, replays and streams show it.
struct shown_event {
  std::int64_t id = 0;  ///< its position in the journal
  std::optional<application_id> application;
  std::string type;
  std::optional<status> from;
  std::optional<status> to;
  raw_json metadata;
  instant created_at;
  static constexpr auto fields = std::tuple{field{"id", &shown_event::id},
                                            field{"applicationId", &shown_event::application},
                                            field{"eventType", &shown_event::type},
                                            field{"fromStatus", &shown_event::from},
                                            field{"toStatus", &shown_event::to},
                                            field{"metadata", &shown_event::metadata},
                                            field{"createdAt", &shown_event::created_at}};
};

/// `reason` is the text of a withdrawal, which the journal does not hold.
shown_event shown(const persistence::journal_entry& entry, const event& e, const std::optional<std::string>& reason);

}  // namespace callboard::opening
