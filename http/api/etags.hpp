#pragma once

#include "http/transport/request_context.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// Versions of entities as HTTP speaks of them.
namespace callboard::http {

/// A version that nothing has: If-Match named only what cannot match.
inline constexpr std::int64_t no_version = -1;

std::string etag(std::int64_t version);

/// What If-Match demands: nothing, or one version. Anything that is no entity tag is refused.
std::optional<std::int64_t> if_match(const request_context& x);

/// For requests that do more than one command and so have to know beforehand. Throws `refused` when If-Match names
/// another version.
void require_version(const request_context& x, std::int64_t version);

/// 304 when the caller has this version already.
std::optional<response> not_modified(const request_context& x, std::int64_t version);

}  // namespace callboard::http
