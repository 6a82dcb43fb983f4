#pragma once

#include "base/described.hpp"
#include "base/instant.hpp"
#include "base/json_write.hpp"
#include "messages/outcome.hpp"

#include <string>
#include <variant>
#include <vector>

/// The vocabulary of profiles: what a user's agents should know. All of it is payload.
namespace callboard::profile {

struct contents {
  std::vector<std::string> interest_tags;
  raw_json default_answers{"{}"};  ///< an object of texts
  raw_json resumes{"[]"};          ///< an array
  static constexpr auto fields = std::tuple{field{"interest_tags", &contents::interest_tags, with_default{text{1, 64}}},
                                            field{"default_answers", &contents::default_answers, with_default{}},
                                            field{"resumes", &contents::resumes, with_default{}}};
};

// Answers

struct profile {
  std::string user_id;
  std::vector<std::string> interest_tags;
  raw_json default_answers;
  raw_json resumes;
  instant updated_at;
  std::int64_t version = 0;
  bool is_new = false;
  success how() const { return is_new ? success::created : success::ok; }
  static constexpr auto fields = std::tuple{field{"user_id", &profile::user_id},
                                            field{"interest_tags", &profile::interest_tags},
                                            field{"default_answers", &profile::default_answers},
                                            field{"resumes", &profile::resumes},
                                            field{"updated_at", &profile::updated_at},
                                            field{"version", &profile::version},
                                            field{"is_new", &profile::is_new, hidden{}}};
};

struct nothing {
  static constexpr auto fields = std::tuple{};
};

using result = std::variant<nothing, profile>;

// Commands

/// The whole profile, as it shall be.
struct put {
  contents what;
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{field{"what", &put::what, inlined{}}};
};

struct tick {
  static constexpr auto answers = success::ok;
  static constexpr auto fields = std::tuple{};
};

using command = std::variant<put, tick>;

// Events

struct updated {
  static constexpr std::string_view type = "PROFILE_UPDATED";
  static constexpr auto fields = std::tuple{};
};

using event = std::variant<updated>;

}  // namespace callboard::profile
