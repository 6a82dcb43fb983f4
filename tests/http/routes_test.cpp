#include "http/api/routes.hpp"
#include "http/transport/responses.hpp"
#include "http/transport/route.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace callboard;
using namespace callboard::http;

namespace {

/// Visits everything that a schema consists of.
class walk final : public member_visitor {
public:
  void take(const member_schema& m) override {
    INFO("member " << m.name);
    CHECK_FALSE(m.name.empty());
    CHECK(names.insert(std::string{m.name}).second);
    if (m.within)
      CHECK(m.within->min <= m.within->max);
    if (m.is_omitted_when_absent)
      CHECK(m.of->is_nullable);
    look_at(*m.of);
  }

  static void look_at(const schema& s) {
    INFO("schema " << s.name);
    CHECK((s.is == shape::choice) == !s.choices.empty());
    CHECK((s.is == shape::array) == (s.items != nullptr));
    CHECK((s.is == shape::object) == (s.members != nullptr));
    CHECK((s.is == shape::object) == !s.name.empty());
    if (s.items)
      look_at(*s.items);
    if (s.members) {
      walk inside;
      s.members(inside);
    }
  }

  std::set<std::string> names;
};

std::string title_of(const route& r) { return std::string{r.method} + ' ' + std::string{r.pattern}; }

std::vector<std::string> variables_of(std::string_view pattern) {
  std::vector<std::string> out;
  for (auto at = pattern.find(":"); at != std::string_view::npos; at = pattern.find(":", at + 1))
    out.emplace_back(pattern.substr(at, pattern.find('/', at) - at));
  return out;
}

template <class Codes>
bool names(const Codes& codes, code what) {
  return std::find(codes.begin(), codes.end(), what) != codes.end();
}

}  // namespace

TEST_CASE("every route says what it is, who may call it and what it answers", "[routes]") {
  std::set<std::string> titles;
  for (const auto& r : routes()) {
    INFO(title_of(r));
    CHECK(titles.insert(title_of(r)).second);
    CHECK(r.handle != nullptr);
    CHECK_FALSE(r.tag.empty());
    CHECK_FALSE(r.roles.empty());
    CHECK(r.summary.size() > 10);
    CHECK(r.summary.ends_with('.'));
    CHECK(std::any_of(r.responses.begin(), r.responses.end(),
                      [](const auto& a) { return a.status >= 200 && a.status < 300; }));
    for (const auto& a : r.responses) {
      CHECK(phrase_of(a.status) != "Unknown");
      CHECK((a.body == nullptr) == (a.status == 204 || a.status == 304));
    }
  }
  CHECK(titles.size() > 50);
}

TEST_CASE("every refusal of a route has a status and is no common one", "[routes]") {
  for (const auto& r : routes()) {
    INFO(title_of(r));
    std::set<code> once;
    for (const auto c : r.refusals) {
      INFO(name(c));
      CHECK(once.insert(c).second);
      CHECK(status_of(c) >= 400);
      CHECK_FALSE(names(common_refusals, c));
      CHECK_FALSE(names(common_write_refusals, c));
    }
  }
}

TEST_CASE("the variables of a path have names of their own", "[routes]") {
  for (const auto& r : routes()) {
    INFO(title_of(r));
    const auto all = variables_of(r.pattern);
    CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
  }
}

TEST_CASE("every query, body and answer can be enumerated", "[routes]") {
  std::map<std::string, const schema*> by_name;
  const auto look = [&by_name](const schema* s) {
    REQUIRE(s != nullptr);
    walk::look_at(*s);
    // Two structs of one name could not be told apart in documentation.
    if (!s->name.empty())
      CHECK(by_name.emplace(s->name, s).first->second == s);
  };
  for (const auto& r : routes()) {
    INFO(title_of(r));
    for (const auto* q : r.query) {
      look(q);
      CHECK(q->is == shape::object);
    }
    for (const auto* b : r.body)
      look(b);
    for (const auto& a : r.responses)
      if (a.body)
        look(a.body);
    if (r.method == "GET" || r.method == "DELETE")
      CHECK(r.body.empty());
  }
  CHECK(by_name.contains("opening::job"));
  CHECK(by_name.contains("job_with_pipeline"));
}

TEST_CASE("a schema lists members as JSON has them", "[routes]") {
  walk seen;
  for (const auto& r : routes())
    if (title_of(r) == "GET /api/jobs/:jobId")
      r.responses.begin()->body->members(seen);
  CHECK(seen.names.contains("capacity"));
  CHECK(seen.names.contains("waitlistApplicants"));
  CHECK(seen.names.contains("next_cursor"));
  CHECK_FALSE(seen.names.contains("job"));
}
