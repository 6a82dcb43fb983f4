#include "actors/queue/rows.hpp"

namespace callboard::queue {

queue_row settings_row(const state& s) {
  return {s.name,
          s.paused,
          s.max_in_flight,
          s.rate_per_s,
          s.aging_s,
          s.per_key ? std::optional{s.per_key->key} : std::nullopt,
          s.per_key ? std::optional{s.per_key->max_in_flight} : std::nullopt};
}

job_row live_row(const state& s, const job& j) {
  job_row r;
  r.queue = s.name;
  r.id = j.id;
  r.type = j.type->name;
  r.status = j.status;
  r.weight = j.weight;
  r.attempts = j.attempts;
  r.max_attempts = j.max_attempts;
  r.redrives = j.redrives;
  r.run_at = j.run_at;
  r.created_at = j.created_at;
  r.updated_at = j.updated_at;
  r.claimed_at = j.claimed_at;
  if (j.held) {
    r.worker = j.held->owner;
    r.token = j.held->token;
    r.lease_ms = j.held->length.count();
    r.lease_until = j.held->until;
  }
  r.cancel_requested = j.cancel_requested;
  if (j.cold) {
    r.ttl_s = j.cold->ttl_s;
    r.unique_key = j.cold->unique_key;
    r.flow_key = j.cold->flow_key;
    if (!j.cold->fingerprint.empty())
      r.fingerprint = j.cold->fingerprint;
    r.error_code = j.cold->error_code;
  }
  r.content = j.content;
  return r;
}

finished_row final_row(const state& s, const job& j, status how, instant at) {
  return {s.name,
          j.id,
          j.type->name,
          how,
          j.weight,
          j.attempts,
          j.max_attempts,
          j.redrives,
          j.run_at,
          j.created_at,
          at,
          j.claimed_at,
          j.held ? std::optional{j.held->owner} : std::nullopt,
          j.ttl_s(),
          j.unique_key(),
          j.content};
}

state from_row(const queue_row& r) {
  state s;
  s.name = r.name;
  s.exists = true;
  s.paused = r.paused;
  s.max_in_flight = r.max_in_flight;
  s.rate_per_s = r.rate_per_s;
  s.aging_s = r.aging_s;
  if (r.key_path)
    s.per_key = {*r.key_path, r.key_max.value_or(1)};
  return s;
}

void add_row(state& s, const job_row& r) {
  job j;
  j.id = r.id;
  j.status = r.status;
  j.weight = static_cast<std::int32_t>(r.weight);
  j.attempts = static_cast<std::int32_t>(r.attempts);
  j.max_attempts = static_cast<std::int32_t>(r.max_attempts);
  j.redrives = static_cast<std::int32_t>(r.redrives);
  j.run_at = r.run_at;
  j.created_at = r.created_at;
  j.updated_at = r.updated_at;
  j.claimed_at = r.claimed_at;
  j.cancel_requested = r.cancel_requested;
  j.content = r.content;
  if (r.token)
    j.held = std::make_unique<lease>(lease{r.worker.value_or(""), *r.token, milliseconds{r.lease_ms.value_or(0)},
                                           r.lease_until.value_or(instant{})});
  if (r.ttl_s || r.unique_key || r.flow_key || r.fingerprint)
    j.cold = std::make_unique<cold_fields>(
        cold_fields{r.ttl_s, r.unique_key, r.flow_key, r.fingerprint.value_or(""), r.error_code});
  enter(s, add_job(s, std::move(j), r.type));
}

}  // namespace callboard::queue
