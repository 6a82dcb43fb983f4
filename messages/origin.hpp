#pragma once

#include <string>

namespace callboard {

/// Who caused an event and how to find the request again; goes into every journal entry.
struct origin {
  std::string actor_type;  ///< role of the caller, or "system" for what time decided
  std::string actor_id;
  std::string reason;
  std::string trace;    ///< W3C trace id
  std::string request;  ///< X-Request-Id
};

}  // namespace callboard
