#pragma once

#include "http/exchange.hpp"

/// The calls about applicants as people.
namespace callboard::http {

task<response> list_applicants(exchange& x);
task<response> create_applicant(exchange& x);
task<response> show_applicant(exchange& x);
task<response> login_applicant(exchange& x);

} // namespace callboard::http
