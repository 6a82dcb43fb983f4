#pragma once

#include "actors/opening/names.hpp"
#include "http/api/pages.hpp"
#include "messages/opening.hpp"
#include "persistence/store.hpp"

#include <string>
#include <vector>

namespace callboard::http {

/// A job with its lists.
struct job_with_pipeline {
  opening::job job;
  std::vector<opening::pipeline_entry> active;
  std::vector<opening::pipeline_entry> waitlist;
  http::cut_off cut_off{};
  static constexpr auto fields = std::tuple{field{"job", &job_with_pipeline::job, inlined{}},
                                            field{"activeApplicants", &job_with_pipeline::active},
                                            field{"waitlistApplicants", &job_with_pipeline::waitlist},
                                            field{"cut_off", &job_with_pipeline::cut_off, inlined{}}};
};

/// Who waits for a job.
struct shown_queue {
  opening::queue queue;
  http::cut_off cut_off{};
  static constexpr auto fields =
      std::tuple{field{"queue", &shown_queue::queue, inlined{}}, field{"cut_off", &shown_queue::cut_off, inlined{}}};
};

job_with_pipeline shown(opening::pipeline p);
shown_queue shown(opening::queue q);

}  // namespace callboard::http
