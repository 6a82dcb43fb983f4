#pragma once

#include "bench/metrics.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Callboard's calls as the load generator makes them.
namespace bench {

/// An application's id holds its opening.
inline constexpr std::int64_t applications_per_opening = 10'000'000;

struct opening_options {
  std::int64_t capacity = 100;
  std::int64_t ack_window_s = 300;
  bool offer_on_apply = false;
  std::int64_t ack_window_on_apply_s = 600;
};

inline std::vector<std::int64_t> create_openings(connection_pool& with, std::int64_t count,
                                                 const opening_options& wanted) {
  std::vector<std::string> requests;
  for (std::int64_t i = 1; i <= count; ++i) {
    const json body{{"title", "Bench opening " + std::to_string(i)},
                    {"capacity", wanted.capacity},
                    {"ackWindowSeconds", wanted.ack_window_s},
                    {"offerOnApply", wanted.offer_on_apply},
                    {"ackWindowOnApplySeconds", wanted.ack_window_on_apply_s}};
    requests.push_back(http_request("POST", "/api/jobs", body.dump()));
  }
  std::vector<std::int64_t> ids;
  for (const auto& body : ask_all(with, std::move(requests), 201))
    ids.push_back(json::parse(body).at("id").get<std::int64_t>());
  return ids;
}

inline void append_apply(std::string& out, std::string_view prefix, std::int64_t person, std::int64_t opening) {
  const auto number = std::to_string(person);
  std::string body;
  body.reserve(96);
  body.append(R"({"name":"Bench )").append(number).append(R"(","email":")").append(prefix).append(number);
  body.append(R"(@bench.example","jobId":)").append(std::to_string(opening)).append("}");
  out.append("POST /api/apply-public HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
             "application/json\r\nContent-Length: ");
  out.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
}

/// New people apply without end, to the openings in turn.
class applies : public traffic {
public:
  applies(std::vector<std::int64_t> openings, std::string prefix)
      : openings_{std::move(openings)}, prefix_{std::move(prefix)} {}

  bool next(std::string& out, std::int64_t& tag) override {
    tag = ++people_;
    append_apply(out, prefix_, people_, openings_[static_cast<std::size_t>(people_) % openings_.size()]);
    return true;
  }
  bool answered(std::int64_t, int status, std::string_view body) override {
    if (status != 201 && first_problem.empty())
      first_problem = std::to_string(status) + " " + std::string{body.substr(0, 300)};
    return status == 201;
  }

  std::string first_problem;

private:
  std::vector<std::int64_t> openings_;
  std::string prefix_;
  std::int64_t people_ = 0;
};

}  // namespace bench
