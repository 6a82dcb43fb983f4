#pragma once

#include "base/described.hpp"
#include "messages/board_job.hpp"
#include "messages/outcome.hpp"

#include <optional>
#include <string>
#include <vector>

namespace callboard::http {

/// A job as it comes in.
struct ingested_job {
  std::string board;
  std::string job_id;
  std::string title;
  std::optional<std::string> url;
  std::optional<std::string> location;
  std::optional<std::string> department;
  static constexpr auto fields = std::tuple{field{"board", &ingested_job::board, slug{}},
                                            field{"job_id", &ingested_job::job_id, board_job::id_bounds},
                                            field{"title", &ingested_job::title, text{1, 500}},
                                            field{"url", &ingested_job::url, text{0, 4'000}},
                                            field{"location", &ingested_job::location, text{0, 500}},
                                            field{"department", &ingested_job::department, text{0, 500}}};
};

/// A job that did not come in, and why.
struct ingest_failure {
  std::optional<std::string> board;
  std::optional<std::string> job_id;
  code error = code::validation_error;
  std::string message;
  static constexpr auto fields =
      std::tuple{field{"board", &ingest_failure::board}, field{"job_id", &ingest_failure::job_id},
                 field{"error", &ingest_failure::error}, field{"message", &ingest_failure::message}};
};

/// One job alone.
struct ingest_body {
  ingested_job job;
  std::optional<std::string> crawl_id;
  static constexpr auto fields =
      std::tuple{field{"job", &ingest_body::job, inlined{}}, field{"crawl_id", &ingest_body::crawl_id}};
};

/// Many jobs. They are read one by one, because what is wrong with one is its own affair.
struct ingest_many_body {
  std::vector<ingested_job> jobs;
  std::optional<std::string> crawl_id;
  static constexpr auto fields =
      std::tuple{field{"jobs", &ingest_many_body::jobs}, field{"crawl_id", &ingest_many_body::crawl_id}};
};

struct ingest_query {
  std::optional<std::string> crawl_id;
  static constexpr auto fields = std::tuple{field{"crawl_id", &ingest_query::crawl_id}};
};

}  // namespace callboard::http
