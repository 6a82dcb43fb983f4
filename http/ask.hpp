#pragma once

#include "actors/node.hpp"
#include "actors/request.hpp"
#include "http/exchange.hpp"
#include "http/mailbox.hpp"
#include "http/service.hpp"
#include "messages/people.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

/// From a request's coroutine to the actors and the store, and back. No thread waits meanwhile.
namespace callboard::http {

/// What an entity said: a result with the version it left, or an earlier answer given again.
template <class Kind>
struct answer {
  typename Kind::result result{};
  std::int64_t version = 0;
  std::optional<actors::replay> again{};
};

/// A request of a waiting coroutine.
template <class Kind>
class ticket final : public actors::request_to<Kind> {
public:
  explicit ticket(boost::asio::io_context& io) : to_{io} {}
  std::shared_ptr<reply<http::answer<Kind>>> other_end() const { return to_.other_end(); }

  void answer(typename Kind::result result, std::int64_t version) override { to_.send({std::move(result), version}); }
  void refuse(refusal why) override { to_.refuse(std::move(why)); }
  void answer_again(actors::replay r) override { to_.send({{}, 0, std::move(r)}); }

private:
  reply_sender<http::answer<Kind>> to_;
};

enum class asking : std::uint8_t {
  question, ///< changes nothing
  command,
  creation, ///< a command that brings a fresh id
  part,     ///< one of many commands of a bulk request, idempotent by its nature: key and version are the whole's
  ending,   ///< the last command of a request that sent others first: the version was compared before those
};

/// Fills in what every request carries: who asks, until when, which version and under which Idempotency-Key.
void address(actors::request& r, const exchange& x, std::string_view kind, std::string key, asking how);

/// A request that is ready to be sent.
template <class Kind>
std::shared_ptr<ticket<Kind>> make_ticket(exchange& x, std::string key, typename Kind::command c, asking how) {
  auto t = std::make_shared<ticket<Kind>>(x.io);
  address(*t, x, Kind::name, std::move(key), how);
  t->command = std::move(c);
  return t;
}

/// Sends at once; the answer is awaited with `received`.
template <class Kind>
std::shared_ptr<reply<answer<Kind>>> send(exchange& x, std::string key, typename Kind::command c, asking how) {
  auto t = make_ticket<Kind>(x, std::move(key), std::move(c), how);
  auto here = t->other_end();
  x.app.node.send(std::move(t));
  return here;
}

/// One of many commands of a request.
template <class Kind>
std::shared_ptr<reply<answer<Kind>>> send_part(exchange& x, std::string key, typename Kind::command c) {
  return send<Kind>(x, std::move(key), std::move(c), asking::part);
}

/// Asks an entity; throws `refused`.
template <class Kind>
task<answer<Kind>> ask(exchange& x, std::string key, typename Kind::command c, asking how) {
  auto here = send<Kind>(x, std::move(key), std::move(c), how);
  co_return co_await received(std::move(here));
}

/// Runs `question` with a reader and sends what it returns.
template <class Question, class T>
void read_for(reply_sender<T>& to, Question& question, persistence::reader& from);

/// Runs `question(reader&)` on one of the readers' threads; throws `refused` when the store does not answer.
template <class Question>
auto read(exchange& x, Question question) -> task<std::invoke_result_t<Question&, persistence::reader&>> {
  using result = std::invoke_result_t<Question&, persistence::reader&>;
  struct reading {
    Question question;
    reply_sender<result> to;
  };
  auto one = std::make_shared<reading>(reading{std::move(question), reply_sender<result>{x.io}});
  auto here = one->to.other_end();
  // Only the job holds the answering end, so that a job that never runs is answered too.
  x.app.node.readers().submit(
    [held = std::move(one)](persistence::reader& from) { read_for(held->to, held->question, from); });
  co_return co_await received(std::move(here));
}

/// What this entity answered before under the request's Idempotency-Key, for requests that ask many entities and so have
/// to know beforehand. Throws `refused` when the key was used for something else.
task<std::optional<actors::replay>> earlier_answer(exchange& x, std::string_view kind, std::string key);

/// The refusal for what a reader threw.
refusal failed_read(std::exception_ptr what);

template <class Question, class T>
void read_for(reply_sender<T>& to, Question& question, persistence::reader& from) {
  try {
    to.send(question(from));
  } catch (...) {
    to.refuse(failed_read(std::current_exception()));
  }
}

/// Nothing when nobody has this id.
task<std::optional<applicant>> find_applicant(exchange& x, applicant_id id);

/// A new applicant, or an earlier answer given again.
struct registered {
  applicant who;
  std::optional<actors::replay> again{};
};
task<registered> register_person(exchange& x, register_applicant command);

} // namespace callboard::http
