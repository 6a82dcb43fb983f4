#pragma once

#include "http/transport/request_context.hpp"

/// The calls about applicants as people.
namespace callboard::http {

task<response> list_applicants(request_context& x);
task<response> create_applicant(request_context& x);
task<response> show_applicant(request_context& x);
task<response> login_applicant(request_context& x);

}  // namespace callboard::http
