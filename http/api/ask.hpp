#pragma once

#include "actors/node.hpp"
#include "actors/request.hpp"
#include "http/api/service.hpp"
#include "http/transport/completions.hpp"
#include "http/transport/request_context.hpp"
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
  std::shared_ptr<future<http::answer<Kind>>> get_future() const { return to_.get_future(); }

  void answer(typename Kind::result result, std::int64_t version) override { to_.send({std::move(result), version}); }
  void refuse(refusal why) override { to_.refuse(std::move(why)); }
  void answer_again(actors::replay r) override { to_.send({{}, 0, std::move(r)}); }

private:
  promise<http::answer<Kind>> to_;
};

enum class asking : std::uint8_t {
  question,  ///< changes nothing
  command,
  creation,    ///< a command that brings a fresh id
  part,        ///< one of many commands of a bulk request, idempotent by its nature: key and version are the whole's
  final_part,  ///< the last command of a request that sent others first: the version was compared before those
};

/// Fills in what every request carries: who asks, until when, which version and under which Idempotency-Key.
void address(actors::request& r, const request_context& x, std::string_view kind, std::string key, asking how);

/// A request that is ready to be sent.
template <class Kind>
std::shared_ptr<ticket<Kind>> make_ticket(request_context& x, std::string key, typename Kind::command c, asking how) {
  auto t = std::make_shared<ticket<Kind>>(x.io);
  address(*t, x, Kind::name, std::move(key), how);
  t->command = std::move(c);
  return t;
}

/// Sends at once; the answer is awaited with `received`.
template <class Kind>
std::shared_ptr<future<answer<Kind>>> send(request_context& x, std::string key, typename Kind::command c, asking how) {
  auto t = make_ticket<Kind>(x, std::move(key), std::move(c), how);
  auto here = t->get_future();
  x.app.node.send(std::move(t));
  return here;
}

/// One of many commands of a request.
template <class Kind>
std::shared_ptr<future<answer<Kind>>> send_part(request_context& x, std::string key, typename Kind::command c) {
  return send<Kind>(x, std::move(key), std::move(c), asking::part);
}

/// Asks an entity; throws `refused`.
template <class Kind>
task<answer<Kind>> ask(request_context& x, std::string key, typename Kind::command c, asking how) {
  auto here = send<Kind>(x, std::move(key), std::move(c), how);
  co_return co_await received(std::move(here));
}

/// Runs `question` with a reader and sends what it returns.
template <class Question, class T>
void read_for(promise<T>& to, Question& question, persistence::reader& from);

/// Runs `question(reader&)` on one of the readers' threads; throws `refused` when the store does not answer.
template <class Question>
auto read(request_context& x, Question question) -> task<std::invoke_result_t<Question&, persistence::reader&>> {
  using result = std::invoke_result_t<Question&, persistence::reader&>;
  struct reading {
    Question question;
    promise<result> to;
  };
  auto one = std::make_shared<reading>(reading{std::move(question), promise<result>{x.io}});
  auto here = one->to.get_future();
  // Only the job holds the answering end, so that a job that never runs is answered too.
  x.app.node.readers().submit(
      [held = std::move(one)](persistence::reader& from) { read_for(held->to, held->question, from); });
  co_return co_await received(std::move(here));
}

/// What this entity answered before under the request's Idempotency-Key, for requests that ask many entities and so
/// have to know beforehand. Throws `refused` when the key was used for something else.
task<std::optional<actors::replay>> earlier_answer(request_context& x, std::string_view kind, std::string key);

/// The refusal for what a reader threw.
refusal failed_read(std::exception_ptr what);

template <class Question, class T>
void read_for(promise<T>& to, Question& question, persistence::reader& from) {
  try {
    to.send(question(from));
  } catch (...) {
    to.refuse(failed_read(std::current_exception()));
  }
}

/// Nothing when nobody has this id.
task<std::optional<applicant>> find_applicant(request_context& x, applicant_id id);

/// A new applicant, or an earlier answer given again.
struct registered {
  applicant who;
  std::optional<actors::replay> again{};
};
task<registered> register_person(request_context& x, register_applicant command);

}  // namespace callboard::http
