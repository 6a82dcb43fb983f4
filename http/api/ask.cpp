#include "http/api/ask.hpp"

#include "base/digest.hpp"
#include "base/log.hpp"
#include "http/api/bodies.hpp"
#include "http/api/etags.hpp"
#include "persistence/rows.hpp"
#include "persistence/spine_rows.hpp"

namespace callboard::http {
namespace {

/// A create has no entity yet: its key is one of the whole kind.
std::optional<actors::request_key> request_key(const request_context& x, const entity_id& target, asking how) {
  const auto key = idempotency_key(x);
  if (!key)
    return std::nullopt;
  actors::request_key out{x.who->scope(), std::string{*key}, {}, {}};
  out.bind(target, how == asking::creation);
  persistence::digest d;
  d.add(x.method).add(x.path).add(x.query_text).add(x.body);
  out.fingerprint = d.take();
  return out;
}

class registration_ticket final : public actors::registration {
public:
  explicit registration_ticket(boost::asio::io_context& io) : to_{io} {}
  std::shared_ptr<future<registered>> get_future() const { return to_.get_future(); }

  void answer(applicant a) override { to_.send({std::move(a)}); }
  void refuse(refusal why) override { to_.refuse(std::move(why)); }
  void answer_again(actors::replay r) override { to_.send({{}, std::move(r)}); }

private:
  promise<registered> to_;
};

/// A sink for the node's callbacks, which may be copied.
template <class T>
auto sink_to(std::shared_ptr<promise<T>> to) {
  return [to = std::move(to)](std::variant<T, code> outcome) {
    if (auto* found = std::get_if<T>(&outcome))
      to->send(std::move(*found));
    else
      to->refuse({std::get<code>(outcome), not_applied().message, {}});
  };
}

}  // namespace

void address(actors::request& r, const request_context& x, std::string_view kind, std::string key, asking how) {
  r.target = {kind, std::move(key)};
  r.who = x.who;
  r.by = x.by;
  r.is_write = how != asking::question;
  r.creates = how == asking::creation;
  // Many in a row may take long: each has the whole time from when it is sent.
  const auto from = how == asking::part || how == asking::final_part ? x.arrived : std::chrono::steady_clock::now();
  r.time_limit = std::chrono::duration_cast<milliseconds>(x.deadline - from);
  // A key is made of the whole body: too much work for each of thousands.
  if (r.is_write && how != asking::part)
    r.key = request_key(x, r.target, how);
  if (how == asking::command || how == asking::creation)
    r.if_match = if_match(x);
}

task<std::optional<actors::replay>> earlier_answer(request_context& x, std::string_view kind, std::string key) {
  const auto asked = request_key(x, {kind, std::move(key)}, asking::command);
  if (!asked)
    co_return std::nullopt;
  const auto question = [digest = bytes{asked->digest}](persistence::reader& from) {
    std::optional<persistence::request_row> found;
    persistence::select<persistence::request_row>(from, "where digest = $1", {digest},
                                                  [&](persistence::request_row r) { found = std::move(r); });
    return found;
  };
  auto found = co_await read(x, question);
  const auto kept = std::chrono::hours{x.app.settings.requests_retention_h};
  if (!found || x.app.node.now() - found->at >= kept)
    co_return std::nullopt;
  if (found->fingerprint.data != asked->fingerprint)
    throw refused{actors::idempotency_mismatch()};
  co_return actors::replay{static_cast<success>(found->status), std::move(found->body)};
}

refusal failed_read(std::exception_ptr what) {
  try {
    std::rethrow_exception(what);
  } catch (refused& no) {
    return std::move(no.why);
  } catch (const persistence::store_error& e) {
    log_line(log_level::warn, "a read failed", {{"what", e.what()}});
    return not_applied();
  } catch (const std::exception& e) {
    log_line(log_level::error, "what was read makes no sense", {{"what", e.what()}});
    return {code::internal, "Something went wrong on our side; nothing was written", {}};
  }
}

task<std::optional<applicant>> find_applicant(request_context& x, applicant_id id) {
  auto to = std::make_shared<promise<std::optional<applicant>>>(x.io);
  auto here = to->get_future();
  x.app.node.find_applicant(id, sink_to(std::move(to)));
  co_return co_await received(std::move(here));
}

task<registered> register_person(request_context& x, register_applicant command) {
  auto t = std::make_shared<registration_ticket>(x.io);
  address(*t, x, "people", {}, asking::creation);
  t->command = std::move(command);
  auto here = t->get_future();
  x.app.node.send(std::shared_ptr<actors::registration>{std::move(t)});
  co_return co_await received(std::move(here));
}

}  // namespace callboard::http
