#pragma once

#include "actors/opening/state.hpp"
#include "base/sql.hpp"
#include "messages/opening.hpp"

#include <optional>
#include <string>
#include <vector>

/// How an opening rests in the store: what it is, how it stands, and one row per application.
namespace callboard::opening {

/// Changes seldom.
struct opening_row {
  opening_id id;
  std::string title;
  std::optional<std::string> description;
  std::int64_t capacity = 0;
  std::int64_t ack_window_s = 0;
  bool offer_on_apply = false;
  std::int64_t ack_window_on_apply_s = 0;
  opening::phase phase = opening::phase::open;
  std::optional<std::string> owner;
  instant created_at;
  static constexpr std::string_view table_name = "openings";
  static constexpr std::size_t key_columns = 1;
  static constexpr auto fields = std::tuple{field{"id", &opening_row::id},
                                            field{"title", &opening_row::title},
                                            field{"description", &opening_row::description},
                                            field{"capacity", &opening_row::capacity},
                                            field{"ack_window_s", &opening_row::ack_window_s},
                                            field{"offer_on_apply", &opening_row::offer_on_apply},
                                            field{"ack_window_on_apply_s", &opening_row::ack_window_on_apply_s},
                                            field{"phase", &opening_row::phase},
                                            field{"owner", &opening_row::owner},
                                            field{"created_at", &opening_row::created_at}};
};

/// Changes with every event: kept small and apart, so that a commit does not carry titles and descriptions.
struct counts_row {
  opening_id id;
  std::int64_t active = 0;
  std::int64_t pending = 0;
  std::int64_t waiting = 0;
  std::int64_t total = 0;
  std::int64_t tail = 0;
  std::optional<std::int64_t> cooling;
  std::optional<instant> cools_until;
  std::string promotions;  ///< times of the last 20, in ms, oldest first, separated by commas
  std::int64_t promotion_count = 0;
  std::int64_t promotion_ms = 0;
  std::int64_t acknowledgment_count = 0;
  std::int64_t acknowledgment_ms = 0;
  std::int64_t decays = 0;
  std::int64_t version = 0;
  static constexpr std::string_view table_name = "opening_counts";
  static constexpr std::size_t key_columns = 1;
  static constexpr auto fields = std::tuple{field{"id", &counts_row::id},
                                            field{"active", &counts_row::active},
                                            field{"pending", &counts_row::pending},
                                            field{"waiting", &counts_row::waiting},
                                            field{"total", &counts_row::total},
                                            field{"tail", &counts_row::tail},
                                            field{"cooling", &counts_row::cooling},
                                            field{"cools_until", &counts_row::cools_until},
                                            field{"promotions", &counts_row::promotions},
                                            field{"promotion_count", &counts_row::promotion_count},
                                            field{"promotion_ms", &counts_row::promotion_ms},
                                            field{"acknowledgment_count", &counts_row::acknowledgment_count},
                                            field{"acknowledgment_ms", &counts_row::acknowledgment_ms},
                                            field{"decays", &counts_row::decays},
                                            field{"version", &counts_row::version}};
};

struct application_row {
  application_id id;
  applicant_id applicant;
  opening::status status = opening::status::waitlist;
  std::optional<std::int64_t> rank;
  std::int64_t penalty = 0;
  instant applied_at;
  std::optional<instant> promoted_at;
  std::optional<instant> deadline;
  instant since;
  std::optional<std::string> reason;
  static constexpr std::string_view table_name = "applications";
  static constexpr std::size_t key_columns = 1;
  static constexpr auto fields = std::tuple{field{"id", &application_row::id},
                                            field{"applicant", &application_row::applicant},
                                            field{"status", &application_row::status},
                                            field{"rank", &application_row::rank},
                                            field{"penalty", &application_row::penalty},
                                            field{"applied_at", &application_row::applied_at},
                                            field{"promoted_at", &application_row::promoted_at},
                                            field{"deadline", &application_row::deadline},
                                            field{"since", &application_row::since},
                                            field{"reason", &application_row::reason, payload{}}};
};

/// The rows that `changed` touched, as they are now.
void put_rows(const state& s, const changes& changed, std::int64_t version, std::vector<row>& out);

/// The state again from its rows: first what it is and how it stands, then each live or waiting application.
state from_rows(const opening_row& what, const counts_row& how);
void add_row(state& s, const application_row& a);

}  // namespace callboard::opening
