#pragma once

#include "http/api/pages.hpp"
#include "http/transport/request_context.hpp"
#include "messages/opening.hpp"

#include <string>
#include <vector>

/// What one applicant sees of all their applications.
namespace callboard::http {

struct applicant_status {
  applicant_id id;
  std::string name;
  std::string email;
  std::vector<opening::application_status> applications;
  http::cut_off cut_off{};
  static constexpr auto fields = std::tuple{
      field{"applicantId", &applicant_status::id}, field{"applicantName", &applicant_status::name},
      field{"applicantEmail", &applicant_status::email}, field{"applications", &applicant_status::applications},
      field{"cut_off", &applicant_status::cut_off, inlined{}}};
};

task<response> show_status(request_context& x);
task<response> show_timeline(request_context& x);

}  // namespace callboard::http
