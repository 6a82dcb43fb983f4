#include "http/api/routes.hpp"

#include "http/api/board/board_jobs.hpp"
#include "http/api/board/boards.hpp"
#include "http/api/board/ingest.hpp"
#include "http/api/entity/audit.hpp"
#include "http/api/entity/replays.hpp"
#include "http/api/opening/application_status.hpp"
#include "http/api/opening/applications.hpp"
#include "http/api/opening/openings.hpp"
#include "http/api/opening/people.hpp"
#include "http/api/operations.hpp"
#include "http/api/queue/jobs.hpp"
#include "http/transport/request_context.hpp"

#include <array>

namespace callboard::http {
namespace {

constexpr auto table = std::to_array<route>({
    {"GET", "/healthz", &show_health},
    {"GET", "/api/healthz", &show_health},
    {"GET", "/readyz", &show_readiness},
    {"GET", "/api/operations", &show_operations},

    {"GET", "/api/jobs", &list_jobs},
    {"POST", "/api/jobs", &create_job},
    {"GET", "/api/jobs/:jobId", &show_job},
    {"PATCH", "/api/jobs/:jobId", &update_job},
    {"GET", "/api/queue/:jobId", &show_queue},
    {"GET", "/api/pipeline/:jobId/summary", &show_summary},
    {"GET", "/api/pipeline/:jobId/replay", &replay_pipeline},

    {"POST", "/api/apply", &apply},
    {"POST", "/api/apply-public", &apply_in_public},
    {"POST", "/api/withdraw", &withdraw},
    {"POST", "/api/acknowledge", &acknowledge},
    {"POST", "/api/decline", &decline},

    {"GET", "/api/applicants", &list_applicants},
    {"POST", "/api/applicants", &create_applicant},
    {"GET", "/api/applicants/:id", &show_applicant},
    {"POST", "/api/applicants/login", &login_applicant},
    {"GET", "/api/status/:applicantId", &show_status},
    {"GET", "/api/timeline/:applicantId", &show_timeline},

    {"GET", "/api/crawler/jobs", &show_board_jobs},
    {"POST", "/api/crawler/jobs", &post_board_jobs, true},
    {"PATCH", "/api/crawler/jobs", &patch_board_jobs},
    {"DELETE", "/api/crawler/jobs", &delete_board_job},
    {"GET", "/api/crawler/boards", &list_boards},
    {"POST", "/api/crawler/boards", &put_board},
    {"DELETE", "/api/crawler/boards", &delete_board},
    {"GET", "/api/crawler/boards/:id", &show_board},
    {"DELETE", "/api/crawler/boards/:id", &delete_board},
    {"POST", "/api/crawler/boards/:id/ingest", &ingest_list, true},
    {"GET", "/api/crawler/crawls", &list_crawls},
    {"POST", "/api/crawler/crawls", &start_crawl},
    {"GET", "/api/crawler/crawls/:id", &show_crawl},
    {"PATCH", "/api/crawler/crawls/:id", &end_crawl},
    {"GET", "/api/crawler/users/:id", &show_profile},
    {"PUT", "/api/crawler/users/:id", &put_profile},

    {"POST", "/api/work/jobs", &enqueue_work, true},
    {"GET", "/api/work/jobs", &list_work},
    {"POST", "/api/work/claim", &claim_work, false, true},
    {"POST", "/api/work/complete", &complete_many, true},
    {"POST", "/api/work/cancel", &cancel_many},
    {"GET", "/api/work/jobs/:id", &show_work},
    {"GET", "/api/work/jobs/:id/explain", &explain_work},
    {"POST", "/api/work/jobs/:id/heartbeat", &beat_work},
    {"POST", "/api/work/jobs/:id/complete", &complete_work, true},
    {"POST", "/api/work/jobs/:id/fail", &fail_work},
    {"POST", "/api/work/jobs/:id/release", &release_work},
    {"POST", "/api/work/jobs/:id/cancel", &cancel_work},
    {"GET", "/api/work/stats", &show_work_stats},
    {"GET", "/api/work/dead", &list_dead},
    {"POST", "/api/work/dead/redrive", &redrive_dead},
    {"GET", "/api/work/queues", &list_queues},
    {"GET", "/api/work/queues/:name", &show_queue_settings},
    {"PUT", "/api/work/queues/:name", &change_queue},
    {"POST", "/api/work/queues/:name/pause", &pause_queue},
    {"POST", "/api/work/queues/:name/resume", &resume_queue},

    {"GET", "/api/audit", &show_audit},
    {"GET", "/api/entities/:kind/:key/replay", &replay_entity},
});

}  // namespace

std::span<const route> routes() { return table; }

}  // namespace callboard::http
