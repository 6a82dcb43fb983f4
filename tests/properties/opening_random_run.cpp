#include "tests/properties/opening_random_run.hpp"

#include <algorithm>
#include <cmath>

namespace callboard::tests {
namespace {

using namespace opening;

constexpr std::int64_t id = 7;
constexpr model::ms dawn_ms = 1'772'355'600'000;
constexpr std::size_t rows_max = 1'000;

std::optional<std::int64_t> ms_of(const std::optional<instant>& t) {
  return t ? std::optional{to_ms(*t)} : std::nullopt;
}

template <class T>
std::string show(const std::optional<T>& x) {
  std::ostringstream out;
  if (x)
    out << *x;
  else
    out << "null";
  return out.str();
}
template <class T>
std::string show(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

template <class Event>
bool read_as(const std::string& type, const std::string& text, event& into) {
  if (type != Event::type)
    return false;
  into = from_own_json<Event>(text);
  return true;
}

}  // namespace

std::string text_of(const state& s) {
  std::ostringstream out;
  out << s.title << " capacity " << s.capacity << " windows " << s.ack_window_s << ' ' << s.offer_on_apply << ' '
      << s.ack_window_on_apply_s << ' ' << name(s.phase) << " total " << s.total << " tail " << s.tail << " cooling "
      << (s.cooling ? std::to_string(s.cooling->n) + " until " + std::to_string(to_ms(s.cooling->until)) : "nobody")
      << " promotions " << s.promotion_count << '/' << s.promotion_ms << " (" << s.promotions.size()
      << ") acknowledgments " << s.acknowledgment_count << '/' << s.acknowledgment_ms << " decays " << s.decays
      << " live " << s.live.size() << " waiting " << s.waiting.size() << " offers " << s.offers.size() << '\n';
  const std::map<std::int64_t, application> sorted{s.applications.begin(), s.applications.end()};
  for (const auto& [n, a] : sorted)
    out << "  " << n << " of " << a.applicant.value << ' ' << name(a.status) << " rank " << a.rank << " penalty "
        << a.penalty << " applied " << to_ms(a.applied_at) << " promoted " << show(ms_of(a.promoted_at)) << " until "
        << show(ms_of(a.deadline)) << " since " << to_ms(a.since) << '\n';
  return out.str();
}

std::string line_of(const event& e, instant at) {
  std::string out = std::to_string(to_ms(at)) + ' ';
  out += std::visit([](const auto& one) { return std::string{one.type}; }, e);
  if (const auto subject = kind::subject(e))
    out += ' ' + std::to_string(ordinal_of({std::stoll(*subject)})) + ' ';
  const auto position = [](std::int64_t p) { return " position " + std::to_string(p); };
  const auto until = [](instant t) { return " until " + std::to_string(to_ms(t)); };
  if (const auto* a = std::get_if<applied>(&e))
    out += std::string{name(a->status)} + (a->position ? position(*a->position) : "") +
           (a->acknowledge_deadline ? until(*a->acknowledge_deadline) : "");
  else if (const auto* p = std::get_if<promoted>(&e))
    out += until(p->acknowledge_deadline);
  else if (const auto* w = std::get_if<withdrawn>(&e))
    out += std::string{name(w->from)} + " by " + std::string{name(w->by)};
  else if (const auto* d = std::get_if<decayed>(&e))
    out +=
        "penalty " + std::to_string(d->penalty_count) + " rank " + std::to_string(d->rank) + position(d->new_position);
  return out;
}

event through_text(const event& e) {
  return std::visit(
      [](const auto& one) {
        const std::string type{one.type};
        const auto text = to_json(one);
        event back;
        const bool known = read_as<created>(type, text, back) || read_as<updated>(type, text, back) ||
                           read_as<applied>(type, text, back) || read_as<promoted>(type, text, back) ||
                           read_as<acknowledged>(type, text, back) || read_as<withdrawn>(type, text, back) ||
                           read_as<declined>(type, text, back) || read_as<decayed>(type, text, back);
        if (!known)
          throw disagreement("unknown event " + type);
        return back;
      },
      e);
}

// Acting

random_run::random_run() : state_{kind::initial("7")}, folded_{kind::initial("7")}, now_{dawn_ms} {
  create c;
  c.title = "Prompter";
  c.capacity = 1;
  c.ack_window_s = model_.window_s = 10;
  c.ack_window_on_apply_s = model_.window_on_apply_s = 20;
  decide(c);
  journal_.clear();
  compare_all();
}

kind::answer random_run::decide(const opening::command& c) {
  const bool is_question = c.index() > opening::command{tick{}}.index();
  const auto live_before = live_count();
  decision<kind> d{state_, from_ms(now_), seq_};
  auto answer = kind::decide(d, c);
  require(d.events.empty() || !is_question, "a question made an event");
  require(d.events.empty() || std::holds_alternative<result>(answer), "a refusal made an event");
  seq_ += static_cast<std::int64_t>(d.events.size());
  for (const auto& e : d.events) {
    changes ignored;
    kind::evolve(folded_, through_text(e), from_ms(now_), ignored);
    journal_.push_back(line_of(e, from_ms(now_)));
    if (const auto* a = std::get_if<applied>(&e)) {
      numbers_given_ = ordinal_of(a->application);
      tail_seen_ = std::max(tail_seen_, a->rank.value_or(0));
    } else if (const auto* x = std::get_if<decayed>(&e)) {
      decayed_[ordinal_of(x->application)] = {x->rank - 1 - tail_seen_, numbers_given_, {}};
    }
  }
  // A lowered capacity evicts nobody, but it lets nobody in either.
  require(live_count() <= std::max(state_.capacity, live_before), "more live ones than slots");
  if (!d.events.empty()) {
    std::vector<row> rows;
    kind::rows(state_, d.changed, seq_, rows);
    require(rows.size() <= rows_max, "a decision changed " + std::to_string(rows.size()) + " rows");
    store_.put_distinct(rows);
  }
  return answer;
}

std::int64_t random_run::live_count() const {
  return std::count_if(state_.applications.begin(), state_.applications.end(),
                       [](const auto& one) { return one.second.status != status::waitlist; });
}

void random_run::settle() {
  for (auto due = kind::deadline(state_); due && to_ms(*due) <= now_; due = kind::deadline(state_)) {
    const auto before = seq_;
    decide(tick{});
    require(seq_ > before, "something is due, but a tick does nothing");
  }
  model_.look(now_);
}

/// Awake, everything happens in its time; asleep, the first command behind it finds it due.
void random_run::pass_to(model::ms at, bool awake) {
  while (awake) {
    const auto due = model_.next_due(now_);
    if (!due || *due > at)
      break;
    now_ = std::max(now_, *due);
    history_ << "  at " << now_ - dawn_ms << " ms something is due\n";
    settle();
    compare_all();
  }
  now_ = std::max(now_, at);
  history_ << "  it is " << now_ - dawn_ms << " ms\n";
}

void random_run::command(const opening::command& c, const model::reply& expected, const std::string& words) {
  history_ << "  " << words << '\n';
  const auto answer = decide(c);
  if (const auto* no = std::get_if<refusal>(&answer)) {
    same(name(no->what), expected.refused.empty() ? "success" : expected.refused, words);
    require(no->message.find(expected.says) != std::string::npos, words + " says " + no->message);
    return;
  }
  same("", expected.refused, words);
  const auto& got = std::get<application_result>(std::get<result>(answer));
  same(got.application.value, id_of(expected.n).value, words + ", application");
  same(got.job.value, id, words + ", job");
  same(name(got.status), expected.status, words + ", status");
  same(got.position, expected.position, words + ", position");
  same(ms_of(got.acknowledge_deadline), expected.deadline, words + ", deadline");
  require(got.message.find(expected.says) != std::string::npos, words + " says " + got.message);
}

void random_run::change(const update& u, const std::string& words) {
  history_ << "  " << words << '\n';
  const auto answer = decide(u);
  require(std::holds_alternative<result>(answer), words + " was refused");
  same(std::get<job>(std::get<result>(answer)).version, seq_, words + ", version");
}

/// A number of an application: of one with an offer or of one who is present, seldom of anybody or
/// nobody.
std::int64_t random_run::somebody(int whom, bool offers_first) const {
  std::vector<std::int64_t> present;
  std::vector<std::int64_t> offered;
  for (const auto& e : model_.all) {
    if (e.status != "INACTIVE")
      present.push_back(e.n);
    if (e.is_pending())
      offered.push_back(e.n);
  }
  const auto pick = static_cast<std::size_t>(whom / 8);
  if (whom % 8 > 2 && offers_first && !offered.empty())
    return offered[pick % offered.size()];
  if (whom % 8 > 0 && !present.empty())
    return present[pick % present.size()];
  return static_cast<std::int64_t>(pick % (model_.all.size() + 2));
}

void random_run::take(const step& s) {
  const bool is_time = s.what >= verb::wait;
  if (!is_time)
    settle();
  update u;
  const auto numbered = [](const char* what, std::int64_t n) { return what + (' ' + std::to_string(n)); };
  switch (s.what) {
  case verb::apply:
  case verb::apply_unknown: {
    const auto who = s.whom % 12 + 1;
    const bool known = s.what == verb::apply;
    command(opening::apply{{who}, {id}, known, {}, {}}, model_.apply(who, known, now_), numbered("apply by", who));
    break;
  }
  case verb::withdraw:
  case verb::remove: {
    const auto n = somebody(s.whom, false);
    const auto by = s.what == verb::withdraw ? party::applicant : party::company;
    command(opening::withdraw{id_of(n), {}, by}, model_.withdraw(n, std::string{name(by)}, now_),
            numbered("withdraw", n));
    break;
  }
  case verb::acknowledge: {
    const auto n = somebody(s.whom, true);
    command(opening::acknowledge{id_of(n)}, model_.acknowledge(n, now_), numbered("acknowledge", n));
    break;
  }
  case verb::decline: {
    const auto n = somebody(s.whom, true);
    command(opening::decline{id_of(n)}, model_.decline(n, now_), numbered("decline", n));
    break;
  }
  case verb::set_capacity:
    u.capacity = s.much % 5 + 1;
    model_.set_capacity(*u.capacity, now_);
    change(u, numbered("capacity to", *u.capacity));
    break;
  case verb::set_windows:
    u.ack_window_s = s.whom % 15 + 1;
    u.ack_window_on_apply_s = s.much % 25 + 1;
    model_.set_windows(*u.ack_window_s, *u.ack_window_on_apply_s, now_);
    change(u, numbered("windows to", *u.ack_window_s) + numbered(" and", *u.ack_window_on_apply_s));
    break;
  case verb::set_offer_on_apply:
    u.offer_on_apply = s.much % 2 == 0;
    model_.set_offer_on_apply(*u.offer_on_apply, now_);
    change(u, numbered("offerOnApply to", *u.offer_on_apply));
    break;
  case verb::set_open:
    u.phase = s.much % 3 == 0 ? phase::closed : phase::open;
    model_.set_open(*u.phase == phase::open, now_);
    change(u, "status to " + std::string{name(*u.phase)});
    break;
  case verb::wait:
    pass_to(now_ + s.much * (s.whom % 3 == 0 ? 1 : 7), true);
    break;
  case verb::wait_until_due:
    if (const auto due = model_.next_due(now_))
      pass_to(*due + s.much % 3 - 1, s.whom % 2 == 0);
    break;
  case verb::oversleep:
    pass_to(now_ + s.much * 40, false);
    break;
  }
  if (!is_time)
    compare_all();
}

// Judging

template <class X, class Y>
void random_run::same(const X& rules, const Y& model, const std::string& what) const {
  if (const auto a = show(rules), b = show(model); a != b)
    throw disagreement(what + ": the rules say " + a + ", the contract " + b);
}

template <class Answer, class Question>
Answer random_run::ask(const Question& q) {
  return std::get<Answer>(std::get<result>(decide(q)));
}

void random_run::compare_all() {
  compare_journal();
  compare_pipeline();
  compare_queue();
  compare_summary();
  compare_status();
  compare_due();
  compare_stored();
  check_promises();
  check_overtaking();
}

void random_run::compare_journal() {
  for (auto& i = journal_compared_; i < std::max(journal_.size(), model_.journal.size()); ++i)
    same(i < journal_.size() ? journal_[i] : "nothing", i < model_.journal.size() ? model_.journal[i] : "nothing",
         "event " + std::to_string(i + 1));
}

void random_run::compare_pipeline() {
  const auto shown = ask<pipeline>(show_pipeline{});
  std::vector<model::entry> live;
  for (const auto& e : model_.all)
    if (e.is_live())
      live.push_back(e);
  const auto line = model_.line();
  same(shown.job.capacity, model_.capacity, "capacity");
  same(shown.job.active_count, live.size(), "activeCount");
  same(shown.job.waitlist_count, line.size(), "waitlistCount");
  same(shown.job.ack_window_s, model_.window_s, "ackWindowSeconds");
  same(shown.job.ack_window_on_apply_s, model_.window_on_apply_s, "ackWindowOnApplySeconds");
  same(shown.job.offer_on_apply, model_.offer_on_apply, "offerOnApply");
  same(shown.job.phase == phase::open, model_.open, "status");
  same(shown.job.version, seq_, "version");
  require(!shown.next, "a short pipeline goes on");
  const auto entries = [&](const std::vector<pipeline_entry>& rules, const std::vector<model::entry>& expected,
                           const std::string& which) {
    same(rules.size(), expected.size(), which);
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const auto who = which + ' ' + std::to_string(expected[i].n);
      same(ordinal_of(rules[i].application), expected[i].n, who + ", application");
      same(rules[i].applicant.value, expected[i].applicant, who + ", applicant");
      same(name(rules[i].status), expected[i].status, who + ", status");
      same(rules[i].position, model_.position_of(expected[i]), who + ", queuePosition");
      same(to_ms(rules[i].applied_at), expected[i].applied_at, who + ", appliedAt");
      same(ms_of(rules[i].promoted_at), expected[i].promoted_at, who + ", promotedAt");
      same(ms_of(rules[i].acknowledge_deadline), expected[i].deadline, who + ", acknowledgeDeadline");
    }
  };
  entries(shown.active, live, "live");
  entries(shown.waitlist, line, "waiting");
}

std::optional<double> random_run::exact_eta(std::int64_t position) const {
  const auto& all = model_.promotions;
  const std::vector<model::ms> last{all.end() - std::min<std::ptrdiff_t>(20, std::ssize(all)), all.end()};
  if (last.size() < 3)
    return std::nullopt;
  return static_cast<double>(position * (last.back() - last.front())) / (1000.0 * static_cast<double>(last.size() - 1));
}

/// Half a second may be rounded either way: the contract does not say in which arithmetic.
bool random_run::is_eta(const std::optional<std::int64_t>& shown, std::int64_t position) const {
  const auto exact = exact_eta(position);
  return shown.has_value() == exact.has_value() &&
         (!shown || std::abs(static_cast<double>(*shown) - *exact) <= 0.5 + 1e-6);
}

void random_run::compare_queue() {
  const auto shown = ask<opening::queue>(show_queue{});
  const auto line = model_.line();
  same(shown.waitlist.size(), line.size(), "queue");
  same(shown.active_count, model_.live(), "queue, activeCount");
  same(shown.capacity, model_.capacity, "queue, capacity");
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto& e = shown.waitlist[i];
    same(ordinal_of(e.application), line[i].n, "queue, application");
    same(e.applicant.value, line[i].applicant, "queue, applicant");
    same(e.position, i + 1, "queue, position");
    same(to_ms(e.applied_at), line[i].applied_at, "queue, appliedAt");
    same(e.penalty_count, line[i].penalty, "queue, penaltyCount");
    require(is_eta(e.eta_s, e.position),
            "queue, etaSeconds: the rules say " + show(e.eta_s) + ", the contract " + show(exact_eta(e.position)));
  }
}

void random_run::compare_summary() {
  const auto shown = ask<summary>(show_summary{});
  const auto total = std::ssize(model_.all);
  const auto waiting = std::ssize(model_.line());
  same(shown.capacity, model_.capacity, "summary, capacity");
  same(shown.active_count, model_.live(), "summary, activeCount");
  same(shown.waitlist_count, waiting, "summary, waitlistCount");
  same(shown.inactive_count, total - model_.live() - waiting, "summary, inactiveCount");
  same(shown.total_applications, total, "summary, totalApplications");
  same(shown.decay_events, model_.decays, "summary, decayEvents");
  const auto mean = [&](const std::optional<double>& rules, const std::vector<model::ms>& all, const char* what) {
    require(rules.has_value() == !all.empty(), what);
    double sum = 0;
    for (const auto one : all)
      sum += static_cast<double>(one) / 1000.0;
    if (rules)
      require(std::abs(*rules - sum / static_cast<double>(all.size())) < 1e-6, what);
  };
  mean(shown.avg_time_to_promotion_s, model_.times_to_promotion, "avgTimeToPromotionSeconds");
  mean(shown.avg_acknowledgment_time_s, model_.times_to_acknowledgment, "avgAcknowledgmentTimeSeconds");
}

void random_run::compare_status() {
  std::vector<application_id> everybody;
  for (std::int64_t n = 0; n <= std::ssize(model_.all) + 1; ++n)
    everybody.push_back(id_of(n));
  const auto shown = ask<application_statuses>(show_application_status{everybody}).applications;
  auto it = shown.begin();
  for (const auto& e : model_.all) {
    if (e.status == "INACTIVE")
      continue;
    const auto who = "status of " + std::to_string(e.n);
    require(it != shown.end() && ordinal_of(it->application) == e.n, who + " is missing");
    same(name(it->status), e.status, who + ", status");
    same(it->position, model_.position_of(e), who + ", queuePosition");
    same(to_ms(it->applied_at), e.applied_at, who + ", appliedAt");
    same(ms_of(it->promoted_at), e.promoted_at, who + ", promotedAt");
    same(ms_of(it->acknowledge_deadline), e.deadline, who + ", acknowledgeDeadline");
    same(it->in_state_s, (now_ - e.since) / 1000, who + ", timeInCurrentStateSeconds");
    same(it->penalty_count, e.penalty, who + ", penaltyCount");
    require(it->position ? is_eta(it->eta_s, *it->position) : !it->eta_s, who + ", etaSeconds");
    ++it;
  }
  require(it == shown.end(), "a status of somebody who is not there");
}

void random_run::compare_due() {
  const auto rules = ms_of(kind::deadline(state_));
  const auto expected = model_.next_due(now_);
  require(!expected || (rules && *rules <= *expected),
          "the deadline is later than what is due: " + show(rules) + ", due " + show(expected));
  require(!rules || *rules > now_, "something is still due");
}

void random_run::compare_stored() {
  const auto loaded = store_.load(id);
  require(loaded == state_, "load(rows(state)) is another state:\n" + text_of(loaded) + "than\n" + text_of(state_));
  require(folded_ == state_, "fold(journal) is another state:\n" + text_of(folded_) + "than\n" + text_of(state_));
  const auto counts = store_.counts(id);
  std::int64_t pending = 0;
  for (const auto& e : model_.all)
    pending += e.is_pending() ? 1 : 0;
  same(counts.pending, pending, "counts, pending");
  same(counts.active, model_.live() - pending, "counts, active");
  same(counts.waiting, model_.line().size(), "counts, waiting");
  same(counts.total, model_.all.size(), "counts, total");
  same(counts.tail, model_.tail, "counts, tail");
  same(counts.cooling, model_.cooling ? std::optional{model_.cooling} : std::nullopt, "counts, cooling");
  same(ms_of(counts.cools_until), model_.cooling ? std::optional{model_.cools_until} : std::nullopt,
       "counts, cools_until");
  same(counts.decays, model_.decays, "counts, decays");
  same(counts.version, seq_, "counts, version");
  // Also those who left have their row, as the contract left them.
  const auto rows = store_.applications();
  same(rows.size(), model_.all.size(), "rows of applications");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& e = model_.all[i];
    const auto who = "row of " + std::to_string(e.n);
    same(ordinal_of(rows[i].id), e.n, who);
    same(rows[i].applicant.value, e.applicant, who + ", applicant");
    same(name(rows[i].status), e.status, who + ", status");
    same(rows[i].rank, e.is_waiting() ? std::optional{e.rank} : std::nullopt, who + ", rank");
    same(rows[i].penalty, e.penalty, who + ", penalty");
    same(to_ms(rows[i].applied_at), e.applied_at, who + ", applied_at");
    same(ms_of(rows[i].promoted_at), e.promoted_at, who + ", promoted_at");
    same(ms_of(rows[i].deadline), e.deadline, who + ", deadline");
    same(to_ms(rows[i].since), e.since, who + ", since");
  }
}

/// Read from the rules' own rows, so that a mistake which the model shares is seen as well.
void random_run::check_promises() {
  bool eligible = false;
  std::set<std::int64_t> people;
  for (const auto& [n, a] : state_.applications) {
    require(people.insert(a.applicant.value).second, "two applications of one applicant");
    require(a.status != status::inactive, "an inactive one is present");
    const bool cools = state_.cooling && state_.cooling->n == n && now_ < to_ms(state_.cooling->until);
    eligible = eligible || (a.status == status::waitlist && !cools);
  }
  require(!(state_.phase == phase::open && live_count() < state_.capacity && eligible),
          "a free slot while somebody eligible waits");
  const auto shown = ask<opening::queue>(show_queue{}).waitlist;
  for (std::size_t i = 0; i < shown.size(); ++i)
    same(shown[i].position, i + 1, "ordinals");
}

void random_run::check_overtaking() {
  const auto line = ask<opening::queue>(show_queue{}).waitlist;
  for (auto it = decayed_.begin(); it != decayed_.end();) {
    auto& [n, seen] = *it;
    const auto mine =
        std::find_if(line.begin(), line.end(), [&](const auto& e) { return ordinal_of(e.application) == n; });
    if (mine == line.end()) {
      it = decayed_.erase(it);
      continue;
    }
    for (auto other = line.begin(); other != mine; ++other)
      if (ordinal_of(other->application) > seen.newest)
        seen.ahead.insert(ordinal_of(other->application));
    require(std::ssize(seen.ahead) <= seen.bound, "application " + std::to_string(n) + " was overtaken by " +
                                                      std::to_string(seen.ahead.size()) + ", at most " +
                                                      std::to_string(seen.bound) + " may");
    ++it;
  }
}

}  // namespace callboard::tests
