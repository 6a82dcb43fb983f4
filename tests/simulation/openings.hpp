#pragma once

#include "actors/opening/rules.hpp"
#include "actors/people/directory.hpp"
#include "world.hpp"

#include <memory>
#include <string>

/// For tests that measure openings and the people who apply to them.
namespace callboard::simulation {

using opening_probe = probe<opening::kind>;

/// What became of a registration.
class registration_probe final : public actors::registration {
public:
  std::optional<applicant> result;
  std::optional<refusal> no;
  std::optional<actors::replay> again;
  int answers = 0;

  void answer(applicant a) override {
    result = std::move(a);
    ++answers;
  }
  void refuse(refusal r) override {
    no = std::move(r);
    ++answers;
  }
  void answer_again(actors::replay r) override {
    again = std::move(r);
    ++answers;
  }
};

/// A node that hosts openings and knows people by their e-mail.
class opening_world : public world {
public:
  explicit opening_world(unsigned seed = 0);

  using world::ask;
  using world::create;
  using world::read;
  using world::send;
  using world::send_create;
  using world::send_read;

  std::string create(opening::create c, std::string key = {});
  std::shared_ptr<opening_probe> send_create(opening::create c, std::string key = {});
  std::shared_ptr<opening_probe> send(const std::string& job, opening::command c, std::string key = {}) {
    return send<opening::kind>(job, std::move(c), std::move(key));
  }
  std::shared_ptr<opening_probe> ask(const std::string& job, opening::command c, std::string key = {}) {
    return ask<opening::kind>(job, std::move(c), std::move(key));
  }
  std::shared_ptr<opening_probe> send_read(const std::string& job, opening::command c) {
    return send_read<opening::kind>(job, std::move(c));
  }
  std::shared_ptr<opening_probe> read(const std::string& job, opening::command c) {
    auto p = send_read(job, std::move(c));
    settle();
    return p;
  }
  /// By e-mail, through the directory, as the public does.
  std::shared_ptr<opening_probe> send_public(const std::string& job, std::string email, std::string key = {});
  std::shared_ptr<registration_probe> send_registration(std::string name, std::string email, std::string key = {});

  int questions = 0;  ///< to the directory, on behalf of applications

private:
  caf::actor directory() const;
};

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

}  // namespace callboard::simulation
