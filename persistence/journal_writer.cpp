#include "persistence/journal_writer.hpp"

#include <algorithm>

namespace callboard::persistence {

using namespace std::chrono_literals;

journal_writer::journal_writer(store& to, std::int64_t last_batch, options how)
    : store_{to}, how_{std::move(how)}, last_batch_{last_batch}, random_{how_.seed} {}

journal_writer::~journal_writer() { stop(); }

void journal_writer::submit(append a) {
  {
    const std::lock_guard lock{mutex_};
    incoming_.emplace_back(std::move(a));
  }
  wake_.notify_one();
}

void journal_writer::submit(std::vector<append> all) {
  {
    const std::lock_guard lock{mutex_};
    for (auto& a : all)
      incoming_.emplace_back(std::move(a));
  }
  wake_.notify_one();
}

void journal_writer::submit(entity_id behind, load go) {
  {
    const std::lock_guard lock{mutex_};
    incoming_.emplace_back(std::pair{std::move(behind), std::move(go)});
  }
  wake_.notify_one();
}

void journal_writer::submit(chore c) {
  {
    const std::lock_guard lock{mutex_};
    incoming_.emplace_back(std::move(c));
  }
  wake_.notify_one();
}

void journal_writer::start() {
  thread_ = std::thread{[this] { run(); }};
}

void journal_writer::stop() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable())
    thread_.join();
}

journal_writer::metrics journal_writer::counted() const { return {commits_, events_, fenced_, poisoned_}; }

void journal_writer::run() {
  for (;;) {
    if (step())
      continue;
    std::unique_lock lock{mutex_};
    const auto something = [this] { return stopping_ || !incoming_.empty(); };
    if (retry_at_)
      wake_.wait_until(lock, std::min(*retry_at_, clock::now() + 100ms));
    else
      wake_.wait_for(lock, 1s, something);
    if (stopping_ && incoming_.empty() && flight_.empty() && ready_.empty())
      return;
    // An unreachable store must not keep the process from ending; its callers have their answers by then.
    if (stopping_ && callers_notified_)
      return;
  }
}

bool journal_writer::step() {
  bool busy = intake();
  if (flight_.empty() && !in_doubt_) {
    busy = do_chores() || busy;
    busy = build() || busy;
  }
  if (retry_at_ && how_.now() < *retry_at_)
    return busy;
  retry_at_.reset();
  if (!connected_ && (down_ || !flight_.empty() || !chores_.empty())) {
    if (!reconnect()) {
      retry_or_give_up({.how = commit_status::down}, how_.now());
      return busy;
    }
    busy = true;
  }
  if (flight_.empty()) {
    // The store is reachable but refused for longer than `patience`: accept writes again. The next failure is reported
    // at once, because `failing_since_` is kept.
    down_ = false;
    return busy;
  }
  attempt();
  return true;
}

bool journal_writer::do_chores() {
  bool busy = false;
  try {
    for (; !chores_.empty() && connected_; chores_.pop_front(), busy = true)
      chores_.front()(store_);
    if (how_.now() - maintained_ > 1s && connected_) {
      maintained_ = how_.now();
      store_.maintain();
    }
  } catch (const store_error& e) {
    how_.on_warning("the store cannot be reached", e.what());
    connected_ = false;
    back_off();
  }
  return busy;
}

void journal_writer::attempt() {
  const auto sent = how_.now();
  const auto began = clock::now();
  const auto outcome = store_.commit(batch_);
  switch (outcome.how) {
  case commit_status::committed:
    last_batch_ = batch_.number;
    commits_ += 1;
    how_.committed(std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - began));
    return finish();
  case commit_status::head_moved:
    return lost_heads(outcome);
  case commit_status::name_taken:
    return lost_names(outcome);
  case commit_status::poison:
    return poisoned(outcome);
  case commit_status::backwards:
    return went_backwards();
  case commit_status::unknown:
    how_.on_warning("outcome of a batch is unknown", outcome.why);
    in_doubt_ = true;
    connected_ = false;
    break;
  case commit_status::down:
    connected_ = false;
    break;
  case commit_status::transient:
  case commit_status::full:
    break;
  }
  retry_or_give_up(outcome, sent);
}

void journal_writer::finish() {
  events_ += static_cast<std::int64_t>(batch_.lines.size());
  in_doubt_ = callers_notified_ = false;
  failing_since_.reset();
  pause_ = 0ms;
  down_ = false;
  suspects_ -= std::min(suspects_, flight_.size());
  appends_max_ = suspects_ == 0 ? SIZE_MAX : std::max<std::size_t>(1, suspects_ / 2);
  release_flight();
}

bool journal_writer::reconnect() {
  try {
    const auto found = store_.reconnect();
    connected_ = true;
    pause_ = 0ms;
    // A smaller number means that the store was restored, a greater one that another process wrote meanwhile. Only a
    // batch in doubt may be one ahead.
    if (found < last_batch_ || found > last_batch_ + (in_doubt_ ? 1 : 0)) {
      went_backwards();
      last_batch_ = found;
      connected_ = true;
    }
    if (flight_.empty())
      failing_since_.reset();
    return true;
  } catch (const store_error& e) {
    how_.on_warning("the store cannot be reached", e.what());
    back_off();
    return false;
  }
}

void journal_writer::back_off() {
  pause_ = std::clamp(pause_ * 2, 10ms, connected_ ? 200ms : 2'000ms);
  const auto jitter = std::uniform_int_distribution<int>{50, 100}(random_);
  retry_at_ = how_.now() + pause_ * jitter / 100;
}

}  // namespace callboard::persistence
