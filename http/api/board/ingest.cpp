#include "http/api/board/ingest.hpp"

#include "actors/board/reads.hpp"
#include "actors/board/rules.hpp"
#include "actors/board_job/rules.hpp"
#include "actors/board_job/tags.hpp"
#include "base/digest.hpp"
#include "base/hex.hpp"
#include "http/api/ask.hpp"
#include "http/api/board/ats.hpp"
#include "http/api/bodies.hpp"
#include "http/api/bulk.hpp"
#include "http/api/queries.hpp"
#include "http/api/results.hpp"

#include <algorithm>
#include <set>

namespace callboard::http {
namespace {

using job_kind = board_job::kind;
using board_kind = board::kind;
using persistence::reader;

constexpr std::size_t jobs_max = 5'000;
/// Longer answers are remembered under their Idempotency-Key without the jobs.
constexpr std::size_t remembered_bytes_max = std::size_t{256} << 10;

/// What one call brings.
struct delivery {
  std::vector<ingested_job> jobs;
  std::vector<ingest_failure> failed;
  std::optional<std::pair<std::string, std::int64_t>> crawl;
};

std::string text_or(const std::optional<std::string>& text, std::string_view otherwise) {
  return text && !text->empty() ? *text : std::string{otherwise};
}

board_job::description described(const request_context& x, const ingested_job& b) {
  board_job::description out{
      b.title, b.url.value_or(""), text_or(b.location, "Unknown"), text_or(b.department, "General"), {}, {}};
  out.tags = board_job::tags_of(out.title, out.department, x.app.settings.board_jobs_tags);
  out.content_hash =
      persistence::to_hex(persistence::sha256(out.title + '|' + out.location + '|' + out.department)).substr(0, 16);
  return out;
}

/// The first thing that is wrong with one of many is its own affair.
void add_failure(delivery& d, const json_reader& r, std::optional<std::string> board,
                 std::optional<std::string> job_id) {
  const auto& first = r.problems.front();
  d.failed.push_back({std::move(board), std::move(job_id), code::validation_error,
                      first.path.empty() ? first.what : first.path + ' ' + first.what});
}

std::optional<std::string> text_of(const json_value& item, std::string_view name) {
  const auto v = item.find(name);
  return v && v->kind() == json_value::type::string ? std::optional{std::string{v->string()}} : std::nullopt;
}

void take(delivery& d, const json_value& item) {
  ingested_job b;
  json_reader r;
  r.read(item, b);
  if (r.problems.empty())
    d.jobs.push_back(std::move(b));
  else
    add_failure(d, r, text_of(item, "board"), text_of(item, "job_id"));
}

void take(delivery& d, ingested_job b) {
  auto board = b.board;
  auto job_id = b.job_id;
  json_reader r;
  r.check(b);
  if (r.problems.empty())
    d.jobs.push_back(std::move(b));
  else
    add_failure(d, r, std::move(board), std::move(job_id));
}

void require_few(std::size_t jobs) {
  if (jobs > jobs_max)
    invalid("jobs", "must be at most " + std::to_string(jobs_max));
}

delivery delivery_in(const json_value& body) {
  delivery out;
  const auto crawl = body.find("crawl_id");
  if (crawl && !crawl->is_null()) {
    out.crawl = crawl->kind() == json_value::type::string ? board::crawl_parts(crawl->string()) : std::nullopt;
    if (!out.crawl)
      invalid("crawl_id", "must be the id of a crawl");
  }
  const auto many = body.find("jobs");
  if (!many || many->is_null()) {
    out.jobs.push_back(read_as<ingested_job>(body));
    return out;
  }
  if (many->kind() != json_value::type::array)
    invalid("jobs", "must be an array");
  for (auto item = many->first(); item; item = item->next())
    take(out, *item);
  require_few(out.jobs.size() + out.failed.size());
  return out;
}

task<void> require_running(request_context& x, const std::pair<std::string, std::int64_t>& crawl) {
  const auto question = [crawl](reader& from) { return board::find_crawl(from, crawl.first, crawl.second); };
  const auto found = co_await read(x, question);
  const auto id = "Crawl '" + board::crawl_id(crawl.first, crawl.second) + '\'';
  if (!found)
    throw refused{{code::not_found, id + " not found", {}}};
  if (found->status != board::crawl_status::running)
    throw refused{{code::conflict, id + " has ended", {}}};
}

/// Boards come into being with their first job.
task<void> ensure_boards(request_context& x, const std::set<std::string>& ids) {
  std::vector<std::shared_ptr<future<answer<board_kind>>>> sent;
  for (const auto& id : ids)
    sent.push_back(send_part<board_kind>(x, id, board::put{}));
  for (auto& one : sent)
    co_await received(std::move(one));
}

/// A crawl may end while its last jobs come in: they are written, and nobody counts them any more.
task<void> note_progress(request_context& x, const std::pair<std::string, std::int64_t>& crawl,
                         board::crawl_stats more) {
  board::command command = board::note_progress{crawl.second, more};
  try {
    co_await ask<board_kind>(x, crawl.first, std::move(command), asking::part);
  } catch (const refused& no) {
    if (no.why.what != code::conflict)
      throw;
  }
}

/// Adds up what became of each job.
class tally {
public:
  explicit tally(std::vector<ingest_failure> failed) : failed_{std::move(failed)} {}

  void took(board_job::ingested i) {
    using board_job::novelty;
    sums_.fresh += i.is == novelty::fresh;
    sums_.updated += i.is == novelty::updated;
    unchanged_ += i.is == novelty::unchanged;
    sums_.fetched += 1;
    if (i.is == novelty::unchanged)
      return;
    jobs_ += jobs_.size() > 1 ? "," : "";
    write_json(jobs_, i.job);
  }

  void lost(const ingested_job& b, const refusal& why) {
    failed_.push_back({b.board, b.job_id, why.what, why.message});
  }

  const board::crawl_stats& sums() const { return sums_; }
  board::ingestion told() const { return {sums_.fresh, sums_.updated, unchanged_, {to_json(failed_)}, {jobs_ + ']'}}; }

private:
  std::vector<ingest_failure> failed_;
  board::crawl_stats sums_;
  std::int64_t unchanged_ = 0;
  std::string jobs_ = "[";
};

/// Each job its own commit, all in flight together.
task<tally> sent_in(request_context& x, delivery& d) {
  tally out{std::move(d.failed)};
  const auto make = [&](std::size_t i) {
    const auto& b = d.jobs[i];
    return part<job_kind>{board_job::key_of(b.board, b.job_id), board_job::ingest{described(x, b)}};
  };
  const auto answered = [&](std::size_t, job_kind::result result) {
    out.took(std::get<board_job::ingested>(std::move(result)));
  };
  const auto lost = [&](std::size_t i, const refusal& why) {
    if (d.jobs.size() == 1)
      throw refused{why};
    out.lost(d.jobs[i], why);
  };
  co_await for_each_part<job_kind>(x, d.jobs.size(), make, answered, lost);
  co_return out;
}

/// The answer is remembered by the first of the boards, when the last job has committed. Everything is written by then:
/// an answer that cannot be remembered is given all the same.
task<response> respond_and_store(request_context& x, std::string board, board::ingestion response_body) {
  response r{201, to_json(response_body)};
  if (!idempotency_key(x))
    co_return r;
  if (r.body.size() > remembered_bytes_max)
    response_body.jobs.text = "[]";
  if (response_body.failed.text.size() > remembered_bytes_max)
    response_body.failed.text = "[]";
  board::command command = board::store_response{std::move(response_body)};
  try {
    co_return co_await stored<board_kind>(x, std::move(board), std::move(command), r);
  } catch (const refused& no) {
    if (no.why.what == code::idempotency_mismatch)
      throw;
  }
  co_return r;
}

task<response> ingest(request_context& x, delivery d) {
  std::set<std::string> boards;
  for (const auto& b : d.jobs)
    boards.insert(b.board);
  if (d.crawl && std::any_of(boards.begin(), boards.end(), [&](const auto& b) { return b != d.crawl->first; }))
    invalid("crawl_id", "must be a crawl of the board that the jobs are on");
  idempotency_key(x);
  if (!boards.empty()) {
    auto before = co_await earlier_answer(x, board_kind::name, *boards.begin());
    if (before)
      co_return replayed(std::move(*before));
  }
  if (d.crawl)
    co_await require_running(x, *d.crawl);
  if (boards.empty())
    co_return response{201, to_json(tally{std::move(d.failed)}.told())};
  co_await ensure_boards(x, boards);
  const auto done = co_await sent_in(x, d);
  if (d.crawl)
    co_await note_progress(x, *d.crawl, done.sums());
  co_return co_await respond_and_store(x, *boards.begin(), done.told());
}

std::string system_of(board::tracker t) { return std::string{name(t)}; }

}  // namespace

task<response> ingest_jobs(request_context& x, json_document body) { return ingest(x, delivery_in(body.root())); }

task<response> ingest_list(request_context& x) {
  const auto& id = x.parameters.at(0);
  if (!is_slug(id))
    invalid("id", "must be the id of a board");
  const auto q = query_of<ingest_query>(x);
  const auto body = parsed_body(x, body_size::bulk, body_shape::object_or_array);
  const auto question = [id](reader& from) { return board::find_board(from, id); };
  const auto known = co_await read(x, question);
  const auto from = known && known->ats ? known->ats : shape_of(body.root());
  auto listed = from ? jobs_in(body.root(), *from, id) : std::nullopt;
  const auto empty = body.root().find("jobs");
  if (!listed && !(empty && !from && empty->kind() == json_value::type::array && !empty->first()))
    invalid("", from ? "The body is no list of " + system_of(*from)
                     : "The body is no job list of greenhouse, lever or ashby");
  delivery d;
  if (q.crawl_id) {
    d.crawl = board::crawl_parts(*q.crawl_id);
    if (!d.crawl)
      invalid("crawl_id", "must be the id of a crawl");
  }
  // It is checked like a job that came in our own words.
  if (listed)
    for (auto& job : *listed)
      take(d, std::move(job));
  require_few(d.jobs.size() + d.failed.size());
  co_return co_await ingest(x, std::move(d));
}

}  // namespace callboard::http
