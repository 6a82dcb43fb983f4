#pragma once

#include "http/transport/request_context.hpp"
#include "messages/opening.hpp"

#include <string>

/// The calls of those who apply, and what becomes of their applications.
namespace callboard::http {

/// POST /apply-public.
struct public_application {
  std::string name;
  std::string email;
  opening::opening_id job;
  static constexpr auto fields =
      std::tuple{field{"name", &public_application::name, text{1, 200}},
                 field{"email", &public_application::email, email_address{}}, field{"jobId", &public_application::job}};
};

task<response> apply(request_context& x);
task<response> apply_in_public(request_context& x);
task<response> withdraw(request_context& x);
task<response> acknowledge(request_context& x);
task<response> decline(request_context& x);

}  // namespace callboard::http
