#include "http/api/entity/replays.hpp"

#include "actors/opening/names.hpp"
#include "actors/opening/reads.hpp"
#include "actors/opening/rules.hpp"
#include "actors/registry.hpp"
#include "http/api/ask.hpp"
#include "http/api/bodies.hpp"
#include "http/api/opening/openings.hpp"
#include "http/api/pages.hpp"
#include "http/api/queries.hpp"
#include "persistence/history.hpp"

namespace callboard::http {
namespace {

using persistence::reader;

/// The moment a replay is about. What lies ahead is now, and now means everything.
struct moment {
  std::optional<instant> until;
  instant shown;
};

moment as_of(const request_context& x, const std::optional<instant>& wanted) {
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

struct entity_replay {
  std::string kind;
  std::string key;
  instant as_of;
  std::int64_t seq = 0;
  raw_json state;
  static constexpr auto fields = std::tuple{field{"kind", &entity_replay::kind}, field{"key", &entity_replay::key},
                                            field{"asOf", &entity_replay::as_of}, field{"seq", &entity_replay::seq},
                                            field{"state", &entity_replay::state}};
};

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
    opening::fill_names(from, lists);
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
      out.text += ',';
      write_json_members(out.text, cut_off_at(*out.next));
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

}  // namespace

task<response> replay_pipeline(request_context& x) {
  const auto id = path_id(x, 0, "jobId");
  const auto q = query_of<pipeline_replay_query>(x);
  const auto at = as_of(x, q.as_of);
  const auto wanted = page_of(q, 3);
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
  auto key = x.parameters.at(1);
  const auto at = as_of(x, query_of<replay_query>(x).as_of);
  std::shared_ptr<actors::past> past = actors::past_of(kind, key, at.until);
  if (!past)
    throw refused{{code::not_found, "There is no kind " + kind, {}}};
  co_await require(x, kind, key, kind + ' ' + key);
  const auto step = [past](reader& from) { return past->step(from); };
  for (bool more = true; more;)
    more = co_await read(x, step);
  const auto render = [past, shown = at.shown](reader& from) { return past->state_text(from, shown); };
  auto state = co_await read(x, render);
  co_return response{200, to_json(entity_replay{kind, std::move(key), at.shown, past->seq(), {std::move(state)}})};
}

}  // namespace callboard::http
