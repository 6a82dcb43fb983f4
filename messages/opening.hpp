#pragma once

#include "base/described.hpp"
#include "base/id.hpp"
#include "base/instant.hpp"
#include "base/json_write.hpp"
#include "base/named.hpp"
#include "messages/outcome.hpp"
#include "messages/people.hpp"

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The vocabulary of openings: what may be asked, what can have happened, what is answered.
namespace callboard::opening {

using opening_id = id<struct opening_tag>;
using application_id = id<struct application_tag>;

/// An application's id holds its opening, so nobody has to look it up.
inline constexpr std::int64_t applications_per_opening = 10'000'000;
inline constexpr std::int64_t opening_id_max = id_max / applications_per_opening - 1;

constexpr opening_id opening_of(application_id a) { return {a.value / applications_per_opening}; }
constexpr std::int64_t ordinal_of(application_id a) { return a.value % applications_per_opening; }
constexpr application_id application_of(opening_id o, std::int64_t n) {
  return {o.value * applications_per_opening + n};
}

enum class status : std::uint8_t { active, waitlist, pending_acknowledgment, inactive };
constexpr std::array<std::string_view, 4> names_of(status) {
  return {"ACTIVE", "WAITLIST", "PENDING_ACKNOWLEDGMENT", "INACTIVE"};
}

enum class phase : std::uint8_t { open, closed };
constexpr std::array<std::string_view, 2> names_of(phase) { return {"open", "closed"}; }

/// Who ends an application.
enum class party : std::uint8_t { applicant, company };
constexpr std::array<std::string_view, 2> names_of(party) { return {"applicant", "company"}; }

inline constexpr integer_range window_bounds{1, 2'592'000};
inline constexpr integer_range capacity_bounds{1, 1'000'000};
inline constexpr text title_bounds{1, 200};
inline constexpr text description_bounds{0, 10'000};

// Commands

struct create {
  std::string title;
  std::optional<std::string> description;
  std::int64_t capacity = 0;
  std::optional<std::int64_t> ack_window_s;
  std::optional<bool> offer_on_apply;
  std::optional<std::int64_t> ack_window_on_apply_s;
  static constexpr auto answers = success::created;
  static constexpr auto fields =
      std::tuple{field{"title", &create::title, title_bounds},
                 field{"description", &create::description, description_bounds},
                 field{"capacity", &create::capacity, capacity_bounds},
                 field{"ackWindowSeconds", &create::ack_window_s, window_bounds},
                 field{"offerOnApply", &create::offer_on_apply},
                 field{"ackWindowOnApplySeconds", &create::ack_window_on_apply_s, window_bounds}};
};

/// What is absent stays; a description that is null is cleared.
struct update {
  std::optional<std::string> title;
  std::optional<std::optional<std::string>> description;
  std::optional<std::int64_t> capacity;
  std::optional<std::int64_t> ack_window_s;
  std::optional<bool> offer_on_apply;
  std::optional<std::int64_t> ack_window_on_apply_s;
  std::optional<opening::phase> phase;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"title", &update::title, title_bounds},
                 field{"description", &update::description, description_bounds},
                 field{"capacity", &update::capacity, capacity_bounds},
                 field{"ackWindowSeconds", &update::ack_window_s, window_bounds},
                 field{"offerOnApply", &update::offer_on_apply},
                 field{"ackWindowOnApplySeconds", &update::ack_window_on_apply_s, window_bounds},
                 field{"status", &update::phase}};
};

struct apply {
  callboard::applicant_id applicant;
  opening_id job;
  bool known = true;                            ///< false: nobody has this applicant id
  std::optional<public_applicant> in_public{};  ///< then the applicant is found, or made, by e-mail
  callboard::new_applicant person{};            ///< set when the applicant's row may still have to be written
  static constexpr auto answers = success::created;
  static constexpr auto fields = std::tuple{
      field{"applicantId", &apply::applicant}, field{"jobId", &apply::job}, field{"known", &apply::known, hidden{}},
      field{"in_public", &apply::in_public, hidden{}}, field{"person", &apply::person, hidden{}}};
};

struct withdraw {
  application_id application;
  std::optional<std::string> reason;
  std::optional<party> by;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"applicationId", &withdraw::application}, field{"reason", &withdraw::reason, text{0, 1'000}},
                 field{"by", &withdraw::by}};
};

struct acknowledge {
  application_id application;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"applicationId", &acknowledge::application}};
};

struct decline {
  application_id application;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"applicationId", &decline::application}};
};

/// A deadline has come: do what the state says is due.
struct tick {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

// Questions: decided like commands, without events

struct show {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

/// Where a page of an opening's lists goes on: behind this application and this rank.
struct cursor {
  std::int64_t live = 0;
  std::int64_t rank = 0;
  static constexpr auto fields = std::tuple{field{"live", &cursor::live}, field{"rank", &cursor::rank}};
};

struct show_pipeline {
  std::int64_t limit = 0;
  cursor after;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"limit", &show_pipeline::limit, hidden{}}, field{"after", &show_pipeline::after, hidden{}}};
};

struct show_queue {
  std::int64_t limit = 0;
  cursor after;
  static constexpr auto answers = success::ok;
  static constexpr auto fields =
      std::tuple{field{"limit", &show_queue::limit, hidden{}}, field{"after", &show_queue::after, hidden{}}};
};

struct show_summary {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

/// Where these applications of one opening stand now.
struct show_application_status {
  std::vector<application_id> applications;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"applications", &show_application_status::applications, hidden{}}};
};

using command = std::variant<create, update, apply, withdraw, acknowledge, decline, tick, show, show_pipeline,
                             show_queue, show_summary, show_application_status>;

// Events: results, never inputs to compute again

struct created {
  std::string title;
  std::optional<std::string> description;
  std::int64_t capacity = 0;
  std::int64_t ack_window_s = 300;
  bool offer_on_apply = false;
  std::int64_t ack_window_on_apply_s = 600;
  std::optional<std::string> owner;
  static constexpr std::string_view type = "JOB_CREATED";
  static constexpr auto fields = std::tuple{field{"title", &created::title},
                                            field{"description", &created::description},
                                            field{"capacity", &created::capacity},
                                            field{"ackWindowSeconds", &created::ack_window_s},
                                            field{"offerOnApply", &created::offer_on_apply},
                                            field{"ackWindowOnApplySeconds", &created::ack_window_on_apply_s},
                                            field{"owner", &created::owner}};
};

/// All values as they are after the change.
struct updated {
  std::string title;
  std::optional<std::string> description;
  std::int64_t capacity = 0;
  std::int64_t ack_window_s = 0;
  bool offer_on_apply = false;
  std::int64_t ack_window_on_apply_s = 0;
  opening::phase phase = opening::phase::open;
  static constexpr std::string_view type = "JOB_UPDATED";
  static constexpr auto fields = std::tuple{field{"title", &updated::title},
                                            field{"description", &updated::description},
                                            field{"capacity", &updated::capacity},
                                            field{"ackWindowSeconds", &updated::ack_window_s},
                                            field{"offerOnApply", &updated::offer_on_apply},
                                            field{"ackWindowOnApplySeconds", &updated::ack_window_on_apply_s},
                                            field{"status", &updated::phase}};
};

struct applied {
  application_id application;
  applicant_id applicant;
  opening::status status = opening::status::waitlist;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> position;
  std::optional<instant> acknowledge_deadline;
  static constexpr std::string_view type = "APPLIED";
  static constexpr auto fields = std::tuple{field{"applicationId", &applied::application},
                                            field{"applicantId", &applied::applicant},
                                            field{"status", &applied::status},
                                            field{"rank", &applied::rank},
                                            field{"position", &applied::position},
                                            field{"acknowledgeDeadline", &applied::acknowledge_deadline}};
};

struct promoted {
  application_id application;
  instant acknowledge_deadline;
  static constexpr std::string_view type = "PROMOTED";
  static constexpr auto fields = std::tuple{field{"applicationId", &promoted::application},
                                            field{"acknowledgeDeadline", &promoted::acknowledge_deadline}};
};

struct acknowledged {
  application_id application;
  static constexpr std::string_view type = "ACKNOWLEDGED";
  static constexpr auto fields = std::tuple{field{"applicationId", &acknowledged::application}};
};

struct withdrawn {
  application_id application;
  opening::status from = opening::status::active;
  party by = party::applicant;
  static constexpr std::string_view type = "WITHDRAWN";
  static constexpr auto fields = std::tuple{field{"applicationId", &withdrawn::application},
                                            field{"from", &withdrawn::from}, field{"by", &withdrawn::by}};
};

struct declined {
  application_id application;
  static constexpr std::string_view type = "DECLINED";
  static constexpr auto fields = std::tuple{field{"applicationId", &declined::application}};
};

struct decayed {
  application_id application;
  std::int64_t penalty_count = 0;
  std::int64_t rank = 0;
  std::int64_t new_position = 0;
  instant cools_until;
  static constexpr std::string_view type = "DECAY_TRIGGERED";
  static constexpr auto fields =
      std::tuple{field{"applicationId", &decayed::application}, field{"penaltyCount", &decayed::penalty_count},
                 field{"rank", &decayed::rank}, field{"newPosition", &decayed::new_position},
                 field{"coolsUntil", &decayed::cools_until}};
};

using event = std::variant<created, updated, applied, promoted, acknowledged, withdrawn, declined, decayed>;

// Answers

struct job {
  opening_id id;
  std::string title;
  std::optional<std::string> description;
  std::int64_t capacity = 0;
  std::int64_t active_count = 0;
  std::int64_t waitlist_count = 0;
  instant created_at;
  std::int64_t ack_window_s = 0;
  bool offer_on_apply = false;
  std::int64_t ack_window_on_apply_s = 0;
  opening::phase phase = opening::phase::open;
  std::optional<std::string> owner;
  std::int64_t version = 0;
  static constexpr auto fields = std::tuple{field{"id", &job::id},
                                            field{"title", &job::title},
                                            field{"description", &job::description},
                                            field{"capacity", &job::capacity},
                                            field{"activeCount", &job::active_count},
                                            field{"waitlistCount", &job::waitlist_count},
                                            field{"createdAt", &job::created_at},
                                            field{"ackWindowSeconds", &job::ack_window_s},
                                            field{"offerOnApply", &job::offer_on_apply},
                                            field{"ackWindowOnApplySeconds", &job::ack_window_on_apply_s},
                                            field{"status", &job::phase},
                                            field{"owner", &job::owner},
                                            field{"version", &job::version}};
};

/// One application as lists show it; name and e-mail are filled in outside the actor.
struct pipeline_entry {
  application_id application;
  applicant_id applicant;
  std::string applicant_name;
  std::string applicant_email;
  opening::status status = opening::status::waitlist;
  std::optional<std::int64_t> position;
  instant applied_at;
  std::optional<instant> promoted_at;
  std::optional<instant> acknowledge_deadline;
  static constexpr auto fields = std::tuple{field{"applicationId", &pipeline_entry::application},
                                            field{"applicantId", &pipeline_entry::applicant},
                                            field{"applicantName", &pipeline_entry::applicant_name},
                                            field{"applicantEmail", &pipeline_entry::applicant_email},
                                            field{"status", &pipeline_entry::status},
                                            field{"queuePosition", &pipeline_entry::position},
                                            field{"appliedAt", &pipeline_entry::applied_at},
                                            field{"promotedAt", &pipeline_entry::promoted_at},
                                            field{"acknowledgeDeadline", &pipeline_entry::acknowledge_deadline}};
};

struct pipeline {
  opening::job job;
  std::vector<pipeline_entry> active;
  std::vector<pipeline_entry> waitlist;
  std::optional<cursor> next;  ///< set when a list was cut off
  static constexpr auto fields =
      std::tuple{field{"job", &pipeline::job, inlined{}}, field{"activeApplicants", &pipeline::active},
                 field{"waitlistApplicants", &pipeline::waitlist}, field{"next", &pipeline::next, hidden{}}};
};

struct queue_entry {
  application_id application;
  applicant_id applicant;
  std::string applicant_name;
  std::int64_t position = 0;
  instant applied_at;
  std::int64_t penalty_count = 0;
  std::optional<std::int64_t> eta_s;
  static constexpr auto fields = std::tuple{field{"applicationId", &queue_entry::application},
                                            field{"applicantId", &queue_entry::applicant},
                                            field{"applicantName", &queue_entry::applicant_name},
                                            field{"position", &queue_entry::position},
                                            field{"appliedAt", &queue_entry::applied_at},
                                            field{"penaltyCount", &queue_entry::penalty_count},
                                            field{"etaSeconds", &queue_entry::eta_s}};
};

struct queue {
  opening_id job;
  std::string title;
  std::int64_t capacity = 0;
  std::int64_t active_count = 0;
  std::vector<queue_entry> waitlist;
  std::optional<cursor> next;
  static constexpr auto fields = std::tuple{field{"jobId", &queue::job},
                                            field{"jobTitle", &queue::title},
                                            field{"capacity", &queue::capacity},
                                            field{"activeCount", &queue::active_count},
                                            field{"waitlistEntries", &queue::waitlist},
                                            field{"next", &queue::next, hidden{}}};
};

struct summary {
  opening_id job;
  std::string title;
  std::int64_t capacity = 0;
  std::int64_t active_count = 0;
  std::int64_t waitlist_count = 0;
  std::int64_t inactive_count = 0;
  std::int64_t total_applications = 0;
  std::optional<double> avg_time_to_promotion_s;
  std::optional<double> avg_acknowledgment_time_s;
  std::int64_t decay_events = 0;
  static constexpr auto fields = std::tuple{field{"jobId", &summary::job},
                                            field{"jobTitle", &summary::title},
                                            field{"capacity", &summary::capacity},
                                            field{"activeCount", &summary::active_count},
                                            field{"waitlistCount", &summary::waitlist_count},
                                            field{"inactiveCount", &summary::inactive_count},
                                            field{"totalApplications", &summary::total_applications},
                                            field{"avgTimeToPromotionSeconds", &summary::avg_time_to_promotion_s},
                                            field{"avgAcknowledgmentTimeSeconds", &summary::avg_acknowledgment_time_s},
                                            field{"decayEvents", &summary::decay_events}};
};

/// One application as its applicant sees it. What can change comes from the actor.
struct application_status {
  application_id application;
  opening_id job;
  std::string title;
  opening::status status = opening::status::inactive;
  std::optional<std::int64_t> position;
  instant applied_at;
  std::optional<instant> promoted_at;
  std::optional<instant> acknowledge_deadline;
  std::int64_t in_state_s = 0;
  std::optional<std::int64_t> eta_s;
  std::int64_t penalty_count = 0;
  static constexpr auto fields = std::tuple{field{"applicationId", &application_status::application},
                                            field{"jobId", &application_status::job},
                                            field{"jobTitle", &application_status::title},
                                            field{"status", &application_status::status},
                                            field{"queuePosition", &application_status::position},
                                            field{"appliedAt", &application_status::applied_at},
                                            field{"promotedAt", &application_status::promoted_at},
                                            field{"acknowledgeDeadline", &application_status::acknowledge_deadline},
                                            field{"timeInCurrentStateSeconds", &application_status::in_state_s},
                                            field{"etaSeconds", &application_status::eta_s},
                                            field{"penaltyCount", &application_status::penalty_count}};
};

/// Live and waiting applications only; what is missing here is inactive, and its row tells the rest.
struct application_statuses {
  std::string title;
  std::vector<application_status> applications;
  static constexpr auto fields = std::tuple{field{"title", &application_statuses::title, hidden{}},
                                            field{"applications", &application_statuses::applications, hidden{}}};
};

struct application_result {
  application_id application;
  applicant_id applicant;
  opening_id job;
  opening::status status = opening::status::waitlist;
  std::optional<std::int64_t> position;
  std::string message;
  std::optional<instant> acknowledge_deadline;
  static constexpr auto fields = std::tuple{field{"applicationId", &application_result::application},
                                            field{"applicantId", &application_result::applicant},
                                            field{"jobId", &application_result::job},
                                            field{"status", &application_result::status},
                                            field{"queuePosition", &application_result::position},
                                            field{"message", &application_result::message},
                                            field{"acknowledgeDeadline", &application_result::acknowledge_deadline}};
};

struct nothing {
  static constexpr auto fields = std::tuple{};
};

using result = std::variant<nothing, job, application_result, pipeline, queue, summary, application_statuses>;

}  // namespace callboard::opening
