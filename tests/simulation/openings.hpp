#pragma once

#include "world.hpp"

#include <string>

/// Words for tests that talk to openings.
namespace callboard::simulation {

inline opening::create job(std::int64_t capacity, std::int64_t window_s = 300) {
  opening::create c;
  c.title = "Engineer";
  c.capacity = capacity;
  c.ack_window_s = window_s;
  return c;
}

inline opening::apply by(std::int64_t applicant) {
  return {.applicant = {applicant}, .job = {}, .known = true, .person = nullptr};
}

inline opening::application_id nth(const std::string& job_id, std::int64_t n = 1) {
  return opening::application_of({std::stoll(job_id)}, n);
}

inline opening::withdraw leaves(const std::string& job_id, std::int64_t n) { return {nth(job_id, n), {}, {}}; }

inline opening::update with_capacity(std::int64_t n) {
  opening::update u;
  u.capacity = n;
  return u;
}

inline opening::update with_title(std::string title) {
  opening::update u;
  u.title = std::move(title);
  return u;
}

inline opening::update with_phase(opening::phase p) {
  opening::update u;
  u.phase = p;
  return u;
}

inline entity_id the(const std::string& job_id) { return {opening::kind::name, job_id}; }

inline std::string count_of(std::string_view type) {
  return "select count(*) from journal where type = '" + std::string{type} + "'";
}

}  // namespace callboard::simulation
