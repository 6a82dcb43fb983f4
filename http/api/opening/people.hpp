#pragma once

#include "http/transport/request_context.hpp"
#include "messages/people.hpp"

#include <optional>
#include <string>

/// The calls about applicants as people.
namespace callboard::http {

/// What a login gives; a token only where there are roles.
struct logged_in {
  applicant_id applicant;
  std::optional<std::string> token;
  static constexpr auto fields =
      std::tuple{field{"applicantId", &logged_in::applicant}, field{"applicantToken", &logged_in::token}};
};

/// The same for everybody, known or not.
struct login_sent {
  static constexpr auto fields = std::tuple{};
};

task<response> list_applicants(request_context& x);
task<response> create_applicant(request_context& x);
task<response> show_applicant(request_context& x);
task<response> login_applicant(request_context& x);

}  // namespace callboard::http
