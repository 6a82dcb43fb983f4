#include "http/api/entity/routes.hpp"

#include "http/api/entity/audit.hpp"
#include "http/api/entity/replays.hpp"

namespace callboard::http {
namespace {

constexpr route table[] = {
    {.method = "GET",
     .pattern = "/api/pipeline/:jobId/replay",
     .handle = &replay_pipeline,
     .roles = {role::company},
     .query = {schema_of<pipeline_replay_query>()},
     .body = {},
     .responses = {answers<raw_json>(200)},
     .refusals = {code::not_found},
     .tag = "history",
     .summary = "Shows the lists and events of an opening as of a moment."},
    {.method = "GET",
     .pattern = "/api/audit",
     .handle = &show_audit,
     .roles = {role::admin},
     .query = {schema_of<audit_query>()},
     .body = {},
     .responses = {answers<audit_page>(200)},
     .refusals = {},
     .tag = "history",
     .summary = "Lists events of the journal."},
    {.method = "GET",
     .pattern = "/api/entities/:kind/:key/replay",
     .handle = &replay_entity,
     .roles = {role::admin},
     .query = {schema_of<replay_query>()},
     .body = {},
     .responses = {answers<raw_json>(200)},
     .refusals = {code::not_found},
     .tag = "history",
     .summary = "Shows the state of an entity as of a moment."},
};

}  // namespace

std::span<const route> entity_routes() { return table; }

}  // namespace callboard::http
