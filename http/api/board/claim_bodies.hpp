#pragma once

#include "base/described.hpp"
#include "base/id.hpp"
#include "messages/board_job.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// What agents send. Artifacts stand beside these members and are checked by `artifacts_in`.
namespace callboard::http {

struct claim_body {
  std::string run_id;
  std::string board;
  std::string job_id;
  std::optional<std::string> variant_id;
  std::optional<std::string> user_id;
  std::optional<std::int64_t> ttl_s;
  static constexpr auto fields = std::tuple{field{"run_id", &claim_body::run_id, board_job::id_bounds},
                                            field{"board", &claim_body::board, slug{}},
                                            field{"job_id", &claim_body::job_id, board_job::id_bounds},
                                            field{"variant_id", &claim_body::variant_id, board_job::id_bounds},
                                            field{"user_id", &claim_body::user_id, board_job::id_bounds},
                                            field{"ttl_s", &claim_body::ttl_s, board_job::ttl_bounds}};
};

struct claim_next_body {
  std::string run_id;
  std::optional<std::string> board;
  std::optional<std::string> tag;
  std::optional<std::string> variant_id;
  std::optional<std::string> user_id;
  std::optional<std::int64_t> ttl_s;
  static constexpr auto fields = std::tuple{field{"run_id", &claim_next_body::run_id, board_job::id_bounds},
                                            field{"board", &claim_next_body::board, slug{}},
                                            field{"tag", &claim_next_body::tag, text{1, 64}},
                                            field{"variant_id", &claim_next_body::variant_id, board_job::id_bounds},
                                            field{"user_id", &claim_next_body::user_id, board_job::id_bounds},
                                            field{"ttl_s", &claim_next_body::ttl_s, board_job::ttl_bounds}};
};

struct report_body {
  std::string run_id;
  std::optional<board_job::run_status> status;
  std::optional<std::string> error;
  std::optional<std::int64_t> lease_token;
  static constexpr auto fields =
      std::tuple{field{"run_id", &report_body::run_id, board_job::id_bounds}, field{"status", &report_body::status},
                 field{"error", &report_body::error, board_job::error_bounds},
                 field{"lease_token", &report_body::lease_token, integer_range{1, id_max}}};
};

}  // namespace callboard::http
