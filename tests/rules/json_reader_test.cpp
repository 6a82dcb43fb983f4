#include "base/json_read.hpp"
#include "messages/opening.hpp"
#include "messages/people.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace std::string_literals;

namespace {

template <class T>
struct outcome {
  T value{};
  std::vector<problem> problems;
  bool ok() const { return problems.empty(); }
  std::string paths() const {
    std::string out;
    for (const auto& p : problems)
      out += (out.empty() ? "" : " ") + p.path;
    return out;
  }
};

template <class T>
outcome<T> read(const std::string& text) {
  std::string why;
  const auto doc = json_document::parse(text, why);
  INFO(text << ' ' << why);
  REQUIRE(doc);
  outcome<T> out;
  json_reader reader;
  reader.read(doc->root(), out.value);
  out.problems = reader.problems;
  return out;
}

std::string times(const std::string& s, int n) {
  std::string out;
  for (int i = 0; i < n; ++i)
    out += s;
  return out;
}

const auto e_acute = "\xC3\xA9"s;
const auto masks = "\xF0\x9F\x8E\xAD"s;

auto job_titled(const std::string& title) {
  return read<opening::create>(R"({"capacity":1,"title":")" + title + "\"}");
}
auto job_with(const std::string& more) { return read<opening::create>(R"({"title":"t",)" + more + '}'); }
auto change(const std::string& body) { return read<opening::update>(body); }

bool is_email(const std::string& address) { return read<login>("{\"email\":" + to_json(address) + '}').ok(); }

}  // namespace

TEST_CASE("a body is read by its fields, and unknown ones are ignored") {
  const auto got = read<opening::create>(
      R"({"title":"Prompter","description":"Whispers","capacity":2,"ackWindowSeconds":60,"offerOnApply":true,
        "ackWindowOnApplySeconds":120,"colour":"red","nested":{"title":[]}})");
  REQUIRE(got.ok());
  REQUIRE(got.value.title == "Prompter");
  REQUIRE(got.value.description == "Whispers");
  REQUIRE(got.value.capacity == 2);
  REQUIRE(got.value.ack_window_s == 60);
  REQUIRE(got.value.offer_on_apply == true);
  REQUIRE(got.value.ack_window_on_apply_s == 120);
}

TEST_CASE("everything that is wrong is told at once, each with its path") {
  const auto got = read<opening::create>(R"({"description":5,"capacity":0,"offerOnApply":"yes"})");
  REQUIRE(got.paths() == "title description capacity offerOnApply");
}

TEST_CASE("names of fields are case-sensitive") {
  REQUIRE(read<opening::create>(R"({"Title":"t","capacity":1})").paths() == "title");
}

TEST_CASE("a required field can be neither absent nor null") {
  REQUIRE(read<opening::create>("{}").paths() == "title capacity");
  REQUIRE(read<opening::create>(R"({"title":null,"capacity":null})").paths() == "title capacity");
  REQUIRE(read<opening::apply>("{}").paths() == "applicantId jobId");
}

TEST_CASE("an optional field that is null counts as absent") {
  const auto got = job_with(R"("capacity":1,"description":null,"ackWindowSeconds":null,"offerOnApply":null)");
  REQUIRE(got.ok());
  REQUIRE_FALSE(got.value.description);
  REQUIRE_FALSE(got.value.ack_window_s);
  REQUIRE_FALSE(got.value.offer_on_apply);
}

TEST_CASE("in a change null clears the description and absence leaves it") {
  REQUIRE(change("{}").ok());
  REQUIRE_FALSE(change("{}").value.description.has_value());
  const auto cleared = change(R"({"description":null})").value.description;
  REQUIRE(cleared.has_value());
  REQUIRE_FALSE(cleared->has_value());
  REQUIRE(change(R"({"description":" x "})").value.description == "x");
  REQUIRE(change(R"({"description":7})").paths() == "description");
}

TEST_CASE("strings are trimmed, then counted in code points") {
  REQUIRE(job_titled("  Prompter\\t\\n").value.title == "Prompter");
  REQUIRE(job_titled("a  b").value.title == "a  b");
  REQUIRE_FALSE(job_titled("").ok());
  REQUIRE_FALSE(job_titled(" \\t\\r\\n ").ok());
  REQUIRE(job_titled(times("x", 200)).ok());
  REQUIRE_FALSE(job_titled(times("x", 201)).ok());
  REQUIRE(job_titled(" " + times(e_acute, 200) + " ").ok());
  REQUIRE_FALSE(job_titled(times(e_acute, 201)).ok());
  REQUIRE(job_titled(times(masks, 200)).ok());
  REQUIRE(job_titled(times("\\ud83c\\udfad", 200)).ok());
  REQUIRE_FALSE(job_titled(times(masks, 201)).ok());
}

TEST_CASE("a description has at most ten thousand characters") {
  REQUIRE(job_with(R"("capacity":1,"description":")" + times(e_acute, 10'000) + '"').ok());
  REQUIRE(job_with(R"("capacity":1,"description":")" + times(e_acute, 10'001) + '"').paths() == "description");
  REQUIRE(job_with(R"("capacity":1,"description":"")").ok());
}

TEST_CASE("capacity is from one to a million") {
  for (const auto* good : {"1", "1.0", "1e6", "1000000"})
    REQUIRE(job_with("\"capacity\":"s + good).ok());
  for (const auto* bad : {"0", "-1", "1000001", "1.5", "\"1\"", "true", "[1]", "{}", "null"}) {
    INFO(bad);
    REQUIRE(job_with("\"capacity\":"s + bad).paths() == "capacity");
    if (bad != "null"s)
      REQUIRE(change("{\"capacity\":"s + bad + '}').paths() == "capacity");
  }
}

TEST_CASE("windows are from one second to thirty days") {
  for (const auto* field : {"ackWindowSeconds", "ackWindowOnApplySeconds"}) {
    const auto with = [&](const std::string& n) { return change("{\""s + field + "\":" + n + '}'); };
    REQUIRE(with("1").ok());
    REQUIRE(with("2592000").ok());
    REQUIRE(with("0").paths() == field);
    REQUIRE(with("2592001").paths() == field);
    REQUIRE(with("\"60\"").paths() == field);
  }
}

TEST_CASE("true and false are the only truth values") {
  REQUIRE(change(R"({"offerOnApply":false})").value.offer_on_apply == false);
  for (const auto* bad : {"0", "1", "\"true\"", "[]"})
    REQUIRE(change("{\"offerOnApply\":"s + bad + '}').paths() == "offerOnApply");
}

TEST_CASE("a status is open or closed, exactly") {
  REQUIRE(change(R"({"status":"closed"})").value.phase == opening::phase::closed);
  REQUIRE(change(R"({"status":"open"})").value.phase == opening::phase::open);
  for (const auto* bad : {"\"Open\"", "\"\"", "\" open\"", "1", "true", "[\"open\"]"})
    REQUIRE(change("{\"status\":"s + bad + '}').paths() == "status");
}

TEST_CASE("ids are integers from 1 to 2^53 - 1") {
  const auto with = [](const std::string& n) { return read<opening::acknowledge>("{\"applicationId\":" + n + '}'); };
  REQUIRE(with("1").value.application.value == 1);
  REQUIRE(with("7.0e7").value.application.value == 70'000'000);
  REQUIRE(with("9007199254740991").ok());
  for (const auto* bad : {"0", "-1", "1.5", "\"1\"", "null", "true"})
    REQUIRE(with(bad).paths() == "applicationId");
}

TEST_CASE("a withdrawal may say why and by whom") {
  const auto got = read<opening::withdraw>(R"({"applicationId":1,"reason":" tired ","by":"company"})");
  REQUIRE(got.ok());
  REQUIRE(got.value.reason == "tired");
  REQUIRE(got.value.by == opening::party::company);
  const auto bare = read<opening::withdraw>(R"({"applicationId":1})");
  REQUIRE(bare.ok());
  REQUIRE_FALSE(bare.value.reason);
  REQUIRE_FALSE(bare.value.by);
  REQUIRE(read<opening::withdraw>(R"({"applicationId":1,"by":"nobody"})").paths() == "by");
}

TEST_CASE("an e-mail address is trimmed and lower-cased") {
  const auto got = read<register_applicant>(R"({"name":" Ada ","email":"  Ada.L@Example.ORG\n"})");
  REQUIRE(got.ok());
  REQUIRE(got.value.name == "Ada");
  REQUIRE(got.value.email == "ada.l@example.org");
}

TEST_CASE("an e-mail address has one @, a local part and a dot in its domain") {
  for (const auto* good : {"a@b.c", "ada+x@example.org", "o'neil@a.b.c", "a@b-c.d"}) {
    INFO(good);
    REQUIRE(is_email(good));
  }
  for (const auto* bad : {"", " ", "a", "a@", "@b.c", "a@b", "a@@b.c", "a@b@c.d", "a.b@c", "a b@c.d", "a@b .c",
                          "a\tb@c.d", "a\x01@b.c", "a@b.c\x7F", "a\u0085b@c.d"}) {
    INFO(bad);
    CHECK_FALSE(is_email(bad));
  }
  REQUIRE(read<login>(R"({"email":5})").paths() == "email");
}

TEST_CASE("an e-mail address has at most 254 characters and 64 before the @") {
  const auto domain = "@" + times("d", 185) + ".org";
  REQUIRE(is_email(times("a", 64) + domain));  // 64 + 190
  REQUIRE_FALSE(is_email(times("a", 64) + "@" + times("d", 186) + ".org"));
  REQUIRE(is_email(times("a", 64) + "@b.c"));
  REQUIRE_FALSE(is_email(times("a", 65) + "@b.c"));
  CHECK(is_email(times(e_acute, 64) + "@b.c"));  // characters, not bytes
  CHECK_FALSE(is_email(times(e_acute, 65) + "@b.c"));
}

TEST_CASE("what the server wrote itself is read again, and anything else throws") {
  REQUIRE(from_own_json<opening::acknowledged>(R"({"applicationId":5})").application.value == 5);
  REQUIRE_THROWS(from_own_json<opening::acknowledged>(R"({"applicationId":"5"})"));
  REQUIRE_THROWS(from_own_json<opening::acknowledged>("{}"));
  REQUIRE_THROWS(from_own_json<opening::acknowledged>("{"));
}

namespace {

struct inner_members {
  std::int64_t id = 0;
  static constexpr auto fields = std::tuple{field{"id", &inner_members::id}};
};

struct outer_members {
  inner_members inner;
  std::optional<bool> flag;
  std::optional<std::int64_t> shown;
  static constexpr auto fields =
      std::tuple{field{"inner", &outer_members::inner, inlined{}},
                 field{"flag", &outer_members::flag, omitted_when_absent{}}, field{"shown", &outer_members::shown}};
};

}  // namespace

TEST_CASE("inlined members stand among those of their owner, and absent ones may be left out") {
  REQUIRE(to_json(outer_members{{7}, {}, {}}) == R"({"id":7,"shown":null})");
  REQUIRE(to_json(outer_members{{7}, true, 2}) == R"({"id":7,"flag":true,"shown":2})");
  const auto found = read<outer_members>(R"({"id":3,"flag":false})");
  REQUIRE(found.ok());
  REQUIRE(found.value.inner.id == 3);
  REQUIRE(found.value.flag == false);
}
