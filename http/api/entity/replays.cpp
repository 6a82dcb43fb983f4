#include "http/api/entity/replays.hpp"

#include "actors/board/rules.hpp"
#include "actors/board_job/rules.hpp"
#include "actors/opening/reads.hpp"
#include "actors/opening/rules.hpp"
#include "actors/profile/rules.hpp"
#include "actors/queue/rules.hpp"
#include "http/api/ask.hpp"
#include "http/api/bodies.hpp"
#include "http/api/opening/names.hpp"
#include "http/api/opening/openings.hpp"
#include "http/api/pages.hpp"
#include "persistence/history.hpp"

#include <array>

namespace callboard::http {
namespace {

using persistence::reader;

/// The moment a replay is about. What lies ahead is now, and now means everything.
struct moment {
  std::optional<instant> until;
  instant shown;
};

moment as_of(const request_context& x) {
  const auto wanted = query_time(x, "asOf");
  const auto now = x.app.node.now();
  return wanted && *wanted < now ? moment{*wanted, *wanted} : moment{std::nullopt, now};
}

task<void> require(request_context& x, std::string_view kind, std::string key, std::string what) {
  const auto question = [kind, key](reader& from) { return persistence::find_head(from, kind, key).has_value(); };
  const bool exists = co_await read(x, question);
  if (!exists)
    throw refused{{code::not_found, what + " not found", {}}};
}

/// The lists of an opening whose state came from its journal; none before it was created.
std::optional<opening::pipeline> lists_of(opening::state& s, instant at, std::int64_t seq, opening::cursor after) {
  decision<opening::kind> d{s, at, seq};
  auto answer = opening::kind::decide(d, opening::show_pipeline{0, after});
  const auto* result = std::get_if<opening::kind::result>(&answer);
  return result ? std::optional{std::get<opening::pipeline>(*result)} : std::nullopt;
}

/// An opening's past on its way from the journal to an answer. Each step is a job of its own for the readers.
class opening_past {
public:
  opening_past(opening::opening_id id, moment at, page wanted)
      : id_{id}, at_{at}, wanted_{std::move(wanted)}, fold_{std::to_string(id.value), at.until} {}

  bool step(reader& from) {
    return fold_.step(from, [this](const auto& entry, const auto& event, const auto&) { take(entry, event); });
  }

  array text(reader& from) {
    const auto cursor = opening::cursor{wanted_.after[1], wanted_.after[2]};
    auto lists = lists_of(fold_.state, at_.shown, fold_.seq, cursor).value_or(opening::pipeline{});
    fill_names(from, lists);
    array out;
    out.text = R"({"jobId":)";
    write_json(out.text, id_);
    out.text += R"(,"asOf":)";
    write_json(out.text, at_.shown);
    out.text += R"(,"activeApplicants":)";
    write_json(out.text, lists.active);
    out.text += R"(,"waitlistApplicants":)";
    write_json(out.text, lists.waitlist);
    out.text += R"(,"events":)";
    write_json(out.text, shown_events(from));
    if (is_cut_ || lists.next) {
      // A list that is complete goes on behind everything.
      const auto rest = lists.next.value_or(opening::cursor{opening::applications_per_opening, id_max});
      out.next = http::cursor{is_cut_ ? taken_.back().first.seq : fold_.seq, rest.live, rest.rank};
      write_cut_off(out.text, *out.next);
    }
    out.text += '}';
    return out;
  }

private:
  void take(const persistence::journal_entry& entry, const opening::event& event) {
    if (!entry.subject || entry.seq <= wanted_.after[0])
      return;
    if (static_cast<std::int64_t>(taken_.size()) == wanted_.limit.value_or(array_rows_max))
      is_cut_ = true;
    else
      taken_.emplace_back(entry, event);
  }

  std::vector<opening::shown_event> shown_events(reader& from) const {
    std::vector<std::int64_t> ended;
    for (const auto& [entry, event] : taken_)
      if (const auto* w = std::get_if<opening::withdrawn>(&event))
        ended.push_back(w->application.value);
    const auto why = opening::reasons_of(from, std::move(ended));
    std::vector<opening::shown_event> out;
    for (const auto& [entry, event] : taken_) {
      const auto it = why.find(std::stoll(entry.subject.value()));
      out.push_back(opening::shown(entry, event, it == why.end() ? std::nullopt : std::optional{it->second}));
    }
    return out;
  }

  opening::opening_id id_;
  moment at_;
  page wanted_;
  persistence::folding<opening::kind> fold_;
  std::vector<std::pair<persistence::journal_entry, opening::event>> taken_;
  bool is_cut_ = false;
};

/// An opening's state as text: the job and its lists.
std::string opening_state(reader& from, opening::state& s, instant at, std::int64_t seq) {
  auto lists = lists_of(s, at, seq, {});
  if (!lists)
    return "null";
  fill_names(from, *lists);
  return to_text(*lists);
}

/// A board job and the runs that it knew: the last one and those that succeeded. What agents wrote is not in the
/// journal.
std::string board_job_state(reader&, board_job::state& s, instant, std::int64_t seq) {
  if (!s.exists || s.gone)
    return "null";
  std::vector<board_job::run> runs;
  for (const auto& [id, r] : s.successes)
    runs.push_back(shown(s, r));
  if (s.last)
    runs.push_back(shown(s, *s.last));
  return R"({"job":)" + to_json(shown(s, seq)) + R"(,"runs":)" + to_json(runs) + '}';
}

std::string board_state(reader&, board::state& s, instant, std::int64_t seq) {
  if (!s.exists || s.gone)
    return "null";
  std::vector<board::crawl> running;
  for (const auto& [n, c] : s.running)
    running.push_back(shown(s.id, c));
  const board::board shown_board{s.id, s.what.company, s.what.ats, s.what.career_page_url, s.created_at, seq};
  return R"({"board":)" + to_json(shown_board) + R"(,"running_crawls":)" + to_json(running) + '}';
}

std::string profile_state(reader&, profile::state& s, instant, std::int64_t) {
  if (!s.exists)
    return "null";
  return R"({"user_id":)" + to_json(s.user_id) + R"(,"updated_at":)" + to_json(s.updated_at) + '}';
}

template <class Kind, auto StateText>
task<response> replay_of(request_context& x, std::string key) {
  const auto at = as_of(x);
  co_await require(x, Kind::name, key, std::string{Kind::name} + ' ' + key);
  auto fold = std::make_shared<persistence::folding<Kind>>(key, at.until);
  const auto step = [fold](reader& from) { return fold->step(from, [](const auto&, const auto&, const auto&) {}); };
  for (bool more = true; more;)
    more = co_await read(x, step);
  const auto render = [fold, shown = at.shown](reader& from) { return StateText(from, fold->state, shown, fold->seq); };
  const auto state = co_await read(x, render);
  response r{200, R"({"kind":)"};
  write_json(r.body, Kind::name);
  r.body += R"(,"key":)";
  write_json(r.body, key);
  r.body += R"(,"asOf":)";
  write_json(r.body, at.shown);
  r.body += R"(,"seq":)";
  write_json(r.body, fold->seq);
  r.body += R"(,"state":)" + state + '}';
  co_return r;
}

/// A queue's state as text: how it stands and the jobs that are not over.
std::string queue_state(reader&, queue::state& s, instant at, std::int64_t) {
  std::string out = R"({"stats":)";
  write_json(out, queue::stats_of(s, at));
  out += R"(,"jobs":[)";
  std::int64_t rows = 0;
  for (const auto& j : *s.slots) {
    if (!j.type)
      continue;
    if (rows == array_rows_max)
      break;
    out += rows++ == 0 ? "" : ",";
    write_json(out, queue::view_of(s, j));
  }
  out += "],\"truncated\":";
  write_json(out, static_cast<std::int64_t>(s.by_id.size()) > rows);
  return out += '}';
}

/// How each kind's past is told.
struct replayable {
  std::string_view kind;
  task<response> (*replay)(request_context& x, std::string key);
};
constexpr std::array replayables{
    replayable{opening::kind::name, &replay_of<opening::kind, &opening_state>},
    replayable{board::kind::name, &replay_of<board::kind, &board_state>},
    replayable{board_job::kind::name, &replay_of<board_job::kind, &board_job_state>},
    replayable{profile::kind::name, &replay_of<profile::kind, &profile_state>},
    replayable{queue::kind::name, &replay_of<queue::kind, &queue_state>},
};

}  // namespace

task<response> replay_pipeline(request_context& x) {
  const auto id = path_id(x, 0, "jobId");
  const auto at = as_of(x);
  const auto wanted = page_of(x, 3);
  auto key = opening_key(id);
  co_await require(x, opening::kind::name, std::move(key), "Job " + std::to_string(id));
  auto past = std::make_shared<opening_past>(opening::opening_id{id}, at, wanted);
  const auto step = [past](reader& from) { return past->step(from); };
  for (bool more = true; more;)
    more = co_await read(x, step);
  const auto render = [past](reader& from) { return past->text(from); };
  auto text = co_await read(x, render);
  co_return to_response(x, std::move(text));
}

task<response> replay_entity(request_context& x) {
  const auto& kind = x.parameters.at(0);
  for (const auto& one : replayables)
    if (one.kind == kind)
      return one.replay(x, x.parameters.at(1));
  throw refused{{code::not_found, "There is no kind " + kind, {}}};
}

}  // namespace callboard::http
