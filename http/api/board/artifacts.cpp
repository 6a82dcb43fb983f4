#include "http/api/board/artifacts.hpp"

#include "http/api/bodies.hpp"
#include "messages/board_job.hpp"

#include <array>
#include <string_view>

namespace callboard::http {
namespace {

using type = json_value::type;

bool is_text(const json_value& v) { return v.kind() == type::string; }

bool is_text_map(const json_value& v) {
  if (v.kind() != type::object)
    return false;
  for (auto m = v.first(); m; m = m->next())
    if (!is_text(*m) && !m->is_null())
      return false;
  return true;
}

bool is_text_list(const json_value& v) {
  if (v.kind() != type::array)
    return false;
  for (auto item = v.first(); item; item = item->next())
    if (!is_text(*item))
      return false;
  return true;
}

struct known_member {
  std::string_view name;
  bool (*fits)(const json_value&);
  std::string_view expected;
};

constexpr std::array known_members{
    known_member{"resume_url", &is_text, "a string"},
    known_member{"resume_variant_id", &is_text, "a string"},
    known_member{"cover_letter", &is_text, "a string"},
    known_member{"answers", &is_text_map, "an object of strings"},
    known_member{"confirmation_url", &is_text, "a string"},
    known_member{"screenshot_keys", &is_text_list, "an array of strings"},
    known_member{"notes", &is_text, "a string"},
};

}  // namespace

std::optional<std::string> artifacts_in(const json_value& body) {
  const auto given = body.find("artifacts");
  if (!given || given->is_null())
    return std::nullopt;
  if (given->kind() != type::object)
    invalid("artifacts", "must be an object");
  std::vector<problem> problems;
  for (const auto& known : known_members) {
    const auto value = given->find(known.name);
    if (value && !value->is_null() && !known.fits(*value))
      problems.push_back({"artifacts." + std::string{known.name}, "must be " + std::string{known.expected}});
  }
  if (!problems.empty())
    invalid(std::move(problems));
  auto text = given->dump();
  // A claim comes on a route for bodies of many megabytes, and its actor would merge them before it says no.
  if (text.size() > board_job::artifacts_bytes_max)
    throw refused{{code::payload_too_large,
                   "The artifacts of a run may have " + std::to_string(board_job::artifacts_bytes_max) + " bytes",
                   {}}};
  return text;
}

}  // namespace callboard::http
