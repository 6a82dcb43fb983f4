#pragma once

#include "actors/opening/rules.hpp"

#include <cstdint>

/// What the files of the rules share. There is one overload of `on` per command; a command without one does not
/// compile.
namespace callboard::opening {

using deciding = decision<kind>;
using answer = kind::answer;

// questions.cpp
answer on(deciding& d, const show&);
answer on(deciding& d, const show_pipeline& c);
answer on(deciding& d, const show_queue& c);
answer on(deciding& d, const show_summary&);
answer on(deciding& d, const show_application_status& c);

/// The opening as callers see it.
job job_of(const deciding& d);

inline std::int64_t live_count(const state& s) { return static_cast<std::int64_t>(s.live.size()); }

/// A live or waiting application; null for any other.
inline const application* find(const state& s, application_id a) {
  const auto it = s.applications.find(ordinal_of(a));
  return it == s.applications.end() ? nullptr : &it->second;
}

}  // namespace callboard::opening
