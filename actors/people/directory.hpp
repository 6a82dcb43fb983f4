#pragma once

#include "actors/actor_messages.hpp"
#include "actors/environment.hpp"
#include "actors/id_blocks.hpp"
#include "actors/node.hpp"
#include "messages/people.hpp"

#include <caf/event_based_actor.hpp>

#include <memory>
#include <unordered_map>
#include <vector>

namespace callboard::actors {

using known_emails = persistence::grouped<std::string, applicant_id>;

/// Who is behind an e-mail address, for one slice of all addresses. No kind: it has no journal, applicants are payload.
/// A new applicant's row is held only by the commands and appends that bring it; while one does, the address keeps its
/// id.
class directory final : public caf::event_based_actor {
public:
  struct question {
    std::string name;
    std::string email;
    new_applicant lost;  ///< a row that turned out to be somebody else's
    environment::person_sink sink;
  };
  using question_ptr = std::shared_ptr<question>;

  directory(caf::actor_config& cfg, environment& env, known_emails& known, id_blocks& ids);

  caf::behavior make_behavior() override;

  static constexpr int slices = 16;

private:
  void find(const question_ptr& q);
  void answer(const question_ptr& q, bool asked, std::optional<applicant_id> found);
  new_applicant extra_rows(const std::string& email);

  void enroll(const std::shared_ptr<registration>& r);
  void enroll_new(const std::shared_ptr<registration>& r, std::optional<applicant_id> holder);
  void forget_other_generation();
  void look_up(const std::string& email, std::function<void(bool, std::optional<applicant_id>)> then);

  environment& env_;
  known_emails& known_;
  id_blocks& ids_;
  std::unordered_map<std::string, applicant_id> cache_;
  std::unordered_map<std::string, std::weak_ptr<const applicant_row>> new_applicants_;
  std::unordered_map<std::string, std::vector<question_ptr>> asked_;
  std::size_t purge_at_ = 10'000;
  std::int64_t store_generation_ = 0;  ///< of the store, when the cache was begun
};

}  // namespace callboard::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(callboard::actors::directory::question_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::shared_ptr<callboard::actors::registration>)
