#include "actors/board_job/search.hpp"

#include "actors/profile/reads.hpp"

#include <algorithm>
#include <exception>

namespace callboard::board_job {
namespace {

constexpr std::int64_t candidates_max = 256;
constexpr milliseconds pause_max{50};

/// Another claim was faster, or the job is no longer what it was when it was found: another one may do.
bool is_lost(code why) { return why == code::already_claimed || why == code::bad_job_status || why == code::not_found; }

/// The job cannot answer now: another one may do.
std::string lower_case(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return text;
}

bool is_unavailable(code why) { return why == code::entity_quarantined || why == code::overloaded; }

}  // namespace

/// One claim of one candidate on behalf of the search.
class front::search::attempt final : public actors::request_to<kind> {
public:
  attempt(std::shared_ptr<search> of, claims_in_flight::hold held) : of_{std::move(of)}, held_{std::move(held)} {}
  ~attempt() override {
    if (of_)
      this->fail(code::not_applied);
  }
  void answer(result r, std::int64_t version) override { done()->outer_->answer(std::move(r), version); }
  void answer_again(actors::replay r) override { done()->outer_->answer_again(std::move(r)); }
  void refuse(refusal why) override { done()->refused(std::move(why)); }

private:
  std::shared_ptr<search> done() { return std::exchange(of_, nullptr); }
  std::shared_ptr<search> of_;
  claims_in_flight::hold held_;  ///< until this attempt is answered
};

front::search::search(front& of, request outer) : front_{of}, outer_{std::move(outer)} {}

template <class Query, class Then>
void front::search::read(Query query, Then then) {
  front_.env_.readers->submit([me = shared_from_this(), query, then](persistence::reader& from) {
    try {
      auto found = query(from);
      then(*me, std::move(found));
    } catch (const persistence::store_error&) {
      me->outer_->fail(code::not_applied);
    } catch (const std::exception&) {
      me->outer_->fail(code::internal);
    }
  });
}

void front::search::begin() {
  const auto& c = command();
  filter_.board = c.board;
  if (c.tag)
    filter_.tags.push_back({lower_case(*c.tag)});
  if (c.user_id)
    find_filter();
  else
    look();
}

/// Any of the tags that interest the user, when the profile names some.
void front::search::find_filter() {
  read([id = *command().user_id](persistence::reader& from) { return profile::find_profile(from, id); },
       [](search& s, std::optional<profile::profile> who) {
         if (who && !who->interest_tags.empty())
           s.filter_.tags.push_back(std::move(who->interest_tags));
         s.look();
       });
}

void front::search::look() {
  if (front_.env_.steady_now() >= outer_->deadline())
    return outer_->fail(code::not_applied);
  // The same run id asked again gets what that run has.
  front_.find_known(outer_, command().run_id, [me = shared_from_this()](const known_run* known) {
    if (!known)
      return me->find_candidates();
    me->is_known_ = true;
    me->send(key_of(known->board, known->job_id), {});
  });
}

/// The oldest jobs that match and can be claimed now: enough of them that one is left when other searches take theirs.
/// However many others there are, a look stays cheap; whoever is left over looks again.
void front::search::find_candidates() {
  const auto limit = std::min(static_cast<std::int64_t>(front_.claiming_.size()) + 16, candidates_max);
  read(
      [f = filter_, limit, now = front_.env_.time.now()](persistence::reader& from) {
        auto found = claimable(from, f, limit);
        return found.empty() ? lapsing(from, f, now, limit) : found;
      },
      [](search& s, std::vector<job_name> found) {
        if (found.empty())
          return s.outer_->answer(result{nothing{}}, 0);
        s.found_ = std::move(found);
        s.next_ = 0;
        s.unavailable_.reset();
        s.unavailable_count_ = 0;
        s.try_next();
      });
}

void front::search::try_next() {
  while (next_ < found_.size()) {
    const auto& one = found_[next_++];
    auto key = key_of(one.board, one.job_id);
    if (auto held = front_.claiming_.take(key))
      return send(key, std::move(held));
  }
  if (unavailable_ && unavailable_count_ == found_.size())
    return outer_->refuse(*unavailable_);
  look_again();
}

void front::search::send(const std::string& key, claims_in_flight::hold held) {
  auto r = std::make_shared<attempt>(shared_from_this(), std::move(held));
  actors::act_for<kind>(*r, *outer_, key);
  const auto& c = command();
  r->command = claim{c.run_id, c.variant_id, c.user_id, c.artifacts, c.ttl_s, true, {}, {}};
  front_.admit(std::move(r));
}

void front::search::refused(refusal why) {
  if (is_known_)
    return outer_->refuse(std::move(why));
  if (why.what == code::run_id_taken)
    return look_again();  // an equal request was faster; what it got is ours too
  if (is_unavailable(why.what)) {
    unavailable_ = std::move(why);
    unavailable_count_ += 1;
  } else if (!is_lost(why.what))
    return outer_->refuse(std::move(why));
  try_next();
}

/// Each pause is longer than the last: asking more often does not find a job sooner.
void front::search::look_again() {
  front_.env_.after(pause_, [me = shared_from_this()] { me->look(); });
  pause_ = std::min(pause_ * 2, pause_max);
}

}  // namespace callboard::board_job
