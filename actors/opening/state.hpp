#pragma once

#include "actors/opening/order.hpp"
#include "messages/opening.hpp"

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace callboard::opening {

/// A live or waiting application, without its payload.
struct application {
  std::int64_t n = 0;
  applicant_id applicant;
  opening::status status = opening::status::waitlist;
  std::int64_t rank = 0;  ///< only while waiting
  std::int64_t penalty = 0;
  instant applied_at;
  std::optional<instant> promoted_at;
  std::optional<instant> deadline;
  instant since;  ///< when its status last changed
  friend bool operator==(const application&, const application&) = default;
};

/// The application whose decay freed the last slot; it is not promoted before `until`.
struct cooling_entry {
  std::int64_t n = 0;
  instant until;
  friend bool operator==(const cooling_entry&, const cooling_entry&) = default;
};

/// Everything an opening decides by. Inactive applications are only counted.
struct state {
  opening_id id;
  bool exists = false;
  std::string title;
  std::optional<std::string> description;
  std::int64_t capacity = 0;
  std::int64_t ack_window_s = 300;
  bool offer_on_apply = false;
  std::int64_t ack_window_on_apply_s = 600;
  opening::phase phase = opening::phase::open;
  std::optional<std::string> owner;
  instant created_at;

  std::unordered_map<std::int64_t, application> applications;   ///< live and waiting, by number
  std::unordered_map<std::int64_t, std::int64_t> by_applicant;  ///< applicant → number
  order waiting;
  std::set<std::int64_t> live;                        ///< numbers, so in the order of applying
  std::set<std::pair<instant, std::int64_t>> offers;  ///< (deadline, number) of pending ones

  std::int64_t total = 0;  ///< applications ever; the next one's number is total + 1
  std::int64_t tail = 0;   ///< the highest rank ever given to an entry that had not decayed
  std::optional<cooling_entry> cooling;
  std::deque<instant> promotions;  ///< the last 20
  std::int64_t promotion_count = 0;
  std::int64_t promotion_ms = 0;
  std::int64_t acknowledgment_count = 0;
  std::int64_t acknowledgment_ms = 0;
  std::int64_t decays = 0;

  friend bool operator==(const state&, const state&) = default;
};

/// What events changed, for the rows. Copies, because an application that became inactive has left the state.
struct changes {
  bool opening = false;
  std::vector<application> applications;
  std::optional<std::pair<std::int64_t, std::string>> reason;  ///< the text of a withdrawal, for its row only
};

}  // namespace callboard::opening
