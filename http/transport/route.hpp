#pragma once

#include "http/transport/request_context.hpp"
#include "http/transport/schema.hpp"
#include "messages/outcome.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace callboard::http {

/// At most so many values, in a row of a constant table.
template <class T, std::size_t Max>
class few {
public:
  constexpr few(std::initializer_list<T> given) : size_{given.size()} {
    std::size_t i = 0;
    for (const auto& one : given)
      values_[i++] = one;
  }
  constexpr const T* begin() const { return values_.data(); }
  constexpr const T* end() const { return values_.data() + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }

private:
  std::array<T, Max> values_{};
  std::size_t size_;
};

/// Who may call a route. `anyone` needs no key; an admin may call all of them.
enum class role : std::uint8_t { anyone, admin, company, agent, worker, recruiter, user, applicant, node };

/// What a route answers with when it does not refuse; null: no body. Several rows of one status: one of them.
struct answer_row {
  int status = 0;
  const schema* body = nullptr;
};

template <class T>
constexpr answer_row answers(int status) {
  return {status, schema_of<T>()};
}
constexpr answer_row no_body(int status) { return {status, nullptr}; }

/// Not a constant expression: a row of a constexpr table that leaves a member out does not compile.
template <class T>
T must_be_given();

/// A row of the route table.
struct route {
  std::string_view method = must_be_given<std::string_view>();
  std::string_view pattern = must_be_given<std::string_view>();  ///< "/api/jobs/:jobId"; ':' begins a variable segment
  task<response> (*handle)(request_context&) = must_be_given<task<response> (*)(request_context&)>();
  few<role, 4> roles = must_be_given<few<role, 4>>();
  few<const schema*, 3> query = must_be_given<few<const schema*, 3>>();  ///< one of these; `query_of` reads them
  few<const schema*, 8> body = must_be_given<few<const schema*, 8>>();   ///< one of these; empty: none
  few<answer_row, 8> responses = must_be_given<few<answer_row, 8>>();
  few<code, 8> refusals = must_be_given<few<code, 8>>();  ///< besides those of every route and every write
  std::string_view tag = must_be_given<std::string_view>();
  std::string_view summary = must_be_given<std::string_view>();  ///< one sentence
  bool is_bulk = false;                                          ///< 16 MiB and any number of values
  bool waits = false;                                            ///< may take long: then its client is watched
  std::string_view produces = "application/json";                ///< an Accept that excludes it, and JSON, is a 406
};

/// What any request may be refused with.
inline constexpr std::array common_refusals{code::validation_error,  code::unauthenticated,
                                            code::forbidden,         code::method_not_allowed,
                                            code::not_acceptable,    code::timeout,
                                            code::payload_too_large, code::expectation_failed,
                                            code::rate_limited,      code::headers_too_large,
                                            code::internal,          code::overloaded,
                                            code::not_applied,       code::moving,
                                            code::entity_quarantined};

/// What any POST, PUT, PATCH or DELETE may be refused with besides.
inline constexpr std::array common_write_refusals{
    code::unsupported_media_type, code::idempotency_mismatch, code::in_progress,
    code::precondition_failed,    code::outcome_unknown,      code::store_full};

}  // namespace callboard::http
