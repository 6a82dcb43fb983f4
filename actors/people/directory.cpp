#include "actors/people/directory.hpp"

#include "base/json_write.hpp"

#include <caf/send.hpp>

namespace callboard::actors {
namespace {

constexpr std::size_t cache_max = 50'000;
constexpr std::string_view ids_name = "applicants";

/// The answer to a registration, waiting for its row.
class registration_reply final : public persistence::pending_reply {
public:
  registration_reply(std::shared_ptr<registration> r, applicant a,
                     std::function<void(std::shared_ptr<registration>)> again)
      : request_{std::move(r)}, applicant_{std::move(a)}, again_{std::move(again)} {}

  void release() override { request_->answer(std::move(applicant_)); }
  void fail(code why) override { request_->fail(why); }
  bool is_write() const override { return true; }
  void undone(bool) override {}
  void again() override { again_(request_); }

private:
  std::shared_ptr<registration> request_;
  applicant applicant_;
  std::function<void(std::shared_ptr<registration>)> again_;
};

}  // namespace

directory::directory(caf::actor_config& cfg, environment& env, known_emails& known, id_blocks& ids)
    : caf::event_based_actor{cfg}, env_{env}, known_{known}, ids_{ids} {}

caf::behavior directory::make_behavior() {
  return {
      [this](const question_ptr& q) { find(q); },
      [this](const std::shared_ptr<registration>& r) { enroll(r); },
      [this](const turn& t) { (*t)(); },
  };
}

new_applicant directory::extra_rows(const std::string& email) {
  const auto it = new_applicants_.find(email);
  return it == new_applicants_.end() ? nullptr : it->second.lock();
}

void directory::look_up(const std::string& email, std::function<void(bool, std::optional<applicant_id>)> then) {
  auto self = caf::actor_cast<caf::actor>(this);
  known_.ask(email, [self, then = std::move(then)](bool asked, const applicant_id* found) {
    auto id = found ? std::optional{*found} : std::nullopt;
    caf::anon_send(self, make_turn([then, asked, id] { then(asked, id); }));
  });
}

/// Whom a store knew that went back in time it may not know any more.
void directory::forget_other_generation() {
  if (store_generation_ == env_.writer.store_generation())
    return;
  store_generation_ = env_.writer.store_generation();
  cache_.clear();
}

void directory::find(const question_ptr& q) {
  forget_other_generation();
  if (q->lost && extra_rows(q->email) == q->lost)
    new_applicants_.erase(q->email);
  if (const auto it = cache_.find(q->email); it != cache_.end())
    return q->sink(person{it->second, nullptr});
  if (auto row = extra_rows(q->email))
    return q->sink(person{row->id, row});
  auto& waiting = asked_[q->email];
  waiting.push_back(q);
  if (waiting.size() > 1)
    return;
  look_up(q->email, [this, email = q->email](bool asked, std::optional<applicant_id> found) {
    for (const auto& one : std::exchange(asked_[email], {}))
      answer(one, asked, found);
    asked_.erase(email);
  });
}

void directory::answer(const question_ptr& q, bool asked, std::optional<applicant_id> found) {
  if (!asked)
    return q->sink(code::not_applied);
  if (found) {
    if (cache_.size() >= cache_max)
      cache_.clear();
    cache_.emplace(q->email, *found);
    return q->sink(person{*found, nullptr});
  }
  if (auto row = extra_rows(q->email))
    return q->sink(person{row->id, row});
  const auto fresh = ids_.next(ids_name, env_.writer);
  if (!fresh)
    return q->sink(code::not_applied);
  auto row = std::make_shared<const applicant_row>(applicant_row{{*fresh}, q->name, q->email, env_.time.now()});
  if (new_applicants_.size() >= purge_at_) {
    std::erase_if(new_applicants_, [](const auto& n) { return n.second.expired(); });
    purge_at_ = std::max<std::size_t>(10'000, new_applicants_.size() * 2);
  }
  new_applicants_[q->email] = row;
  q->sink(person{row->id, row});
}

/// First the e-mail, then the key: whoever finds the e-mail of an equal request also finds its answer.
void directory::enroll(const std::shared_ptr<registration>& r) {
  if (env_.steady_now() > r->deadline())
    return r->fail(code::not_applied);
  look_up(r->command.email, [this, r](bool asked, std::optional<applicant_id> found) {
    if (!asked)
      return r->fail(code::not_applied);
    if (!r->key)
      return enroll_new(r, found);
    auto self = caf::actor_cast<caf::actor>(this);
    env_.answers.ask(r->key->digest, [this, self, r, found](bool answered, const persistence::request_row* stored) {
      auto row = stored ? std::optional{*stored} : std::nullopt;
      caf::anon_send(self, make_turn([this, r, found, answered, row] {
                       if (!answered)
                         r->fail(code::not_applied);
                       else if (!row || env_.time.now() - row->at >= env_.answers_kept)
                         enroll_new(r, found);
                       else if (row->fingerprint.data != r->key->fingerprint)
                         r->refuse(idempotency_mismatch());
                       else
                         r->answer_again({static_cast<success>(row->status), row->body});
                     }));
    });
  });
}

/// A plain insert: whoever has the address already, or takes it first, keeps it.
void directory::enroll_new(const std::shared_ptr<registration>& r, std::optional<applicant_id> holder) {
  if (holder)
    return r->refuse({code::conflict, "This e-mail address is taken", {{"email", "is taken"}}});
  const auto fresh = ids_.next(ids_name, env_.writer);
  if (!fresh)
    return r->fail(code::not_applied);
  const applicant_row row{{*fresh}, r->command.name, r->command.email, env_.time.now()};
  const applicant a{row.id, row.name, row.email, row.created_at};
  persistence::append append;
  append.entity = {"people", row.email};
  append.rows.push_back(to_row(row));
  if (r->key)
    append.rows.push_back(to_row(persistence::request_row{{r->key->digest},
                                                          {r->key->fingerprint},
                                                          static_cast<std::int32_t>(success::created),
                                                          to_json(a),
                                                          row.created_at}));
  auto self = caf::actor_cast<caf::actor>(this);
  append.replies.push_back(std::make_unique<registration_reply>(
      r, a, [self](std::shared_ptr<registration> lost) { caf::anon_send(self, std::move(lost)); }));
  env_.writer.submit(std::move(append));
}

}  // namespace callboard::actors
