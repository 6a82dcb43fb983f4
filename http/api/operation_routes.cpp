#include "http/api/operation_routes.hpp"

#include "http/api/operations.hpp"

namespace callboard::http {
namespace {

constexpr route table[] = {
    {.method = "GET",
     .pattern = "/healthz",
     .handle = &show_health,
     .roles = {role::anyone},
     .query = {},
     .body = {},
     .responses = {answers<health>(200)},
     .refusals = {},
     .tag = "operations",
     .summary = "Says that the process is alive."},
    {.method = "GET",
     .pattern = "/api/healthz",
     .handle = &show_health,
     .roles = {role::anyone},
     .query = {},
     .body = {},
     .responses = {answers<health>(200)},
     .refusals = {},
     .tag = "operations",
     .summary = "Says that the process is alive."},
    {.method = "GET",
     .pattern = "/readyz",
     .handle = &show_readiness,
     .roles = {role::anyone},
     .query = {},
     .body = {},
     .responses = {answers<readiness>(200), answers<readiness>(503)},
     .refusals = {},
     .tag = "operations",
     .summary = "Says whether the store answers and nothing is being shut down; 503 if not."},
    {.method = "GET",
     .pattern = "/api/operations",
     .handle = &show_operations,
     .roles = {role::admin},
     .query = {},
     .body = {},
     .responses = {answers<operations>(200)},
     .refusals = {},
     .tag = "operations",
     .summary = "Shows what the server does at this moment."},
};

}  // namespace

std::span<const route> operation_routes() { return table; }

}  // namespace callboard::http
