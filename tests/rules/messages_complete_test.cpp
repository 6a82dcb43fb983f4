#include "actors/kinds.hpp"
#include "base/json_read.hpp"
#include "messages/board.hpp"
#include "messages/board_job.hpp"
#include "messages/opening.hpp"
#include "messages/people.hpp"
#include "messages/profile.hpp"
#include "messages/queue/commands.hpp"
#include "messages/queue/events.hpp"
#include "messages/queue/payload.hpp"
#include "messages/queue/views.hpp"

#include <boost/pfr/tuple_size.hpp>
#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>

// What travels between nodes: every message has a complete field list, and comes back as it was written.

using namespace callboard;

namespace {

/// Sets every member to something that it is not by default.
class filler {
public:
  void fill(bool& x) { x = !x; }
  void fill(std::int32_t& x) { x += ++count_; }
  void fill(std::int64_t& x) { x += ++count_; }
  void fill(double& x) { x += 0.25; }
  void fill(std::string& x) { x += " \"\n\xC3\xA9 " + std::to_string(++count_); }
  void fill(raw_json& x) { x.text = "{\"n\":[" + std::to_string(++count_) + ",0.5,null]}"; }
  void fill(instant& x) { x += milliseconds{++count_}; }
  template <class Tag>
  void fill(id<Tag>& x) {
    fill(x.value);
  }
  template <named E>
  void fill(E& x) {
    x = static_cast<E>((static_cast<std::size_t>(x) + 1) % names_of(E{}).size());
  }
  template <class T>
  void fill(std::optional<T>& x) {
    fill(x.emplace());
  }
  template <class T>
  void fill(std::shared_ptr<const T>& x) {
    T one{};
    fill(one);
    x = std::make_shared<const T>(std::move(one));
  }
  template <class T>
  void fill(std::vector<T>& x) {
    fill(x.emplace_back());
    fill(x.emplace_back());
  }
  template <class T, class Order>
  void fill(std::map<std::string, T, Order>& x) {
    fill(x["b \"1\""]);
    fill(x["a"]);
  }
  template <class... T>
  void fill(std::variant<T...>& x) {
    fill(x.template emplace<sizeof...(T) - 1>());
  }
  template <described T>
  void fill(T& x) {
    for_each_field<T>([&](const auto& f) {
      if constexpr (detail::is_json_text<std::remove_cvref_t<decltype(f.rule)>>)
        x.*f.member = "{\"n\":" + std::to_string(++count_) + '}';
      else
        fill(x.*f.member);
    });
  }

private:
  int count_ = 0;
};

template <described T>
T filled() {
  T out{};
  filler{}.fill(out);
  return out;
}

/// Each member of the one as it is in the other, and none as it is by default.
template <described T>
void same_and_set(const T& a, const T& b) {
  for_each_field<T>([&](const auto& f) {
    INFO(f.name);
    REQUIRE(to_complete_json(a.*f.member) == to_complete_json(b.*f.member));
    REQUIRE(to_complete_json(a.*f.member) != to_complete_json(T{}.*f.member));
  });
}

template <described T>
void comes_back() {
  INFO(type_name<T>());
  static_assert(boost::pfr::tuple_size_v<T> == field_count<T>);
  const auto sent = filled<T>();
  const auto text = to_complete_json(sent);
  const auto received = from_complete_json<T>(text);
  same_and_set(sent, received);
  REQUIRE(to_complete_json(received) == text);
  REQUIRE(to_json(received) == to_json(sent));
  REQUIRE(to_complete_json(from_complete_json<T>(to_complete_json(T{}))) == to_complete_json(T{}));
}

template <described T>
void hides_hidden() {
  INFO(type_name<T>());
  const auto text = to_json(filled<T>());
  std::string why;
  const auto shown = json_document::parse(text, why);
  INFO(text << ' ' << why);
  REQUIRE(shown);
  for_each_field<T>([&]<class Field>(const Field& f) {
    INFO(f.name);
    using rule = std::remove_cvref_t<decltype(f.rule)>;
    if constexpr (!std::is_same_v<rule, inlined>)
      REQUIRE(shown->root().find(f.name).has_value() == !std::is_same_v<rule, hidden>);
  });
}

template <class Message>
struct every;

template <class... T>
struct every<std::variant<T...>> {
  static void comes_back() { (::comes_back<T>(), ...); }
  static void hides_hidden() { (::hides_hidden<T>(), ...); }
  /// As one of its kind too, which says which one it is.
  static void is_recognised() {
    using any = std::variant<T...>;
    (check(any{filled<T>()}), ...);
  }

private:
  static void check(const std::variant<T...>& sent) {
    const auto text = to_complete_json(sent);
    INFO(text);
    const auto received = from_complete_json<std::variant<T...>>(text);
    REQUIRE(received.index() == sent.index());
    REQUIRE(to_complete_json(received) == text);
  }
};

template <class... Message>
void all_travel() {
  (every<Message>::comes_back(), ...);
  (every<Message>::hides_hidden(), ...);
  (every<Message>::is_recognised(), ...);
}

template <described T>
std::vector<problem> read(T& into, const std::string& text) {
  std::string why;
  const auto body = json_document::parse(text, why);
  REQUIRE(body);
  json_reader reader;
  reader.read(body->root(), into);
  return reader.problems;
}

// Members of types that are easily mistaken for several or none.
struct complete {
  std::optional<std::string> a;
  std::vector<int> b;
  static constexpr auto fields = std::tuple{field{"a", &complete::a}, field{"b", &complete::b}};
};

struct forgetful {
  std::optional<std::string> a;
  std::vector<int> b;
  static constexpr auto fields = std::tuple{field{"a", &forgetful::a}};
};

struct forgetful_of_all {
  raw_json a;
  static constexpr auto fields = std::tuple{};
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("messages of every kind travel", "", actors::all_kinds) {
  all_travel<typename TestType::command, typename TestType::result, typename TestType::event>();
}

TEST_CASE("messages of people, rows and refusals travel") {
  comes_back<register_applicant>();
  comes_back<login>();
  comes_back<applicant>();
  comes_back<applicant_row>();
  comes_back<queue::payload_row>();
  comes_back<queue::report_row>();
  comes_back<refusal>();
  REQUIRE(to_complete_json(refusal{code::gone, "over", {{"id", "odd"}}}) ==
          R"({"code":"GONE","message":"over","details":[{"path":"id","problem":"odd"}]})");
}

TEST_CASE("absent, cleared and set stay three things") {
  queue::configure c;
  REQUIRE(to_complete_json(c) == "{}");
  c.max_in_flight.emplace();
  c.rate_per_s = 5;
  const auto text = to_complete_json(c);
  REQUIRE(text == R"({"max_in_flight":null,"rate_per_s":5})");
  const auto back = from_complete_json<queue::configure>(text);
  REQUIRE((back.max_in_flight && !*back.max_in_flight));
  REQUIRE((back.rate_per_s && **back.rate_per_s == 5));
  REQUIRE_FALSE(back.per_key);
}

TEST_CASE("numbers that JSON does not carry exactly travel as strings") {
  for (const auto x : {std::numeric_limits<std::int64_t>::min(), -id_max - 1, -id_max, std::int64_t{0}, id_max,
                       id_max + 1, std::numeric_limits<std::int64_t>::max()}) {
    queue::new_job j;
    j.content = x;
    REQUIRE(from_complete_json<queue::new_job>(to_complete_json(j)).content == x);
  }
  for (const auto x : {0.0, -0.125, 1.0 / 3, 1e-300, 1e15, 1e16, -1e300, std::numeric_limits<double>::infinity()}) {
    opening::summary s;
    s.avg_time_to_promotion_s = x;
    REQUIRE(from_complete_json<opening::summary>(to_complete_json(s)).avg_time_to_promotion_s == x);
  }
}

TEST_CASE("a variant says by name what it holds") {
  const queue::command c = queue::store_response{queue::redrive_total{3}};
  REQUIRE(to_complete_json(c) ==
          R"({"type":"store_response","value":{"response":{"type":"redrive_total","value":{"redriven":3}}}})");
  for (const auto* bad : {R"({"type":"no_such_command","value":{}})", R"({"type":"tick"})", R"({"value":{}})",
                          R"({"type":1,"value":{}})", "[]", ""}) {
    INFO(bad);
    REQUIRE_THROWS_AS(from_complete_json<queue::command>(bad), std::runtime_error);
  }
}

TEST_CASE("a node of another release may know more or fewer members") {
  const auto c = from_complete_json<queue::claim>(R"({"worker_id":"w","of_the_next_release":1})");
  REQUIRE(c.worker == "w");
  REQUIRE(c.lease_s == 60);
  REQUIRE_THROWS_AS(from_complete_json<queue::claim>(R"({"worker_id":1})"), std::runtime_error);
}

TEST_CASE("what travels is taken as it is, not by the rules for callers") {
  const auto c = from_complete_json<queue::claim>(R"({"worker_id":"  ","limit":1000000})");
  REQUIRE(c.worker == "  ");
  REQUIRE(c.limit == 1'000'000);
  REQUIRE(from_complete_json<opening::apply>(R"({"applicantId":0})").applicant.value == 0);
}

TEST_CASE("callers cannot set hidden members") {
  opening::apply a;
  REQUIRE(read(a, R"({"applicantId":1,"jobId":2,"known":false,"person":{"id":3}})").empty());
  REQUIRE(a.known);
  REQUIRE_FALSE(a.person);
  queue::configure c;
  REQUIRE(read(c, R"({"paused":true})").empty());
  REQUIRE_FALSE(c.paused);
}

TEST_CASE("a member with a default may be left out or null, and is checked otherwise") {
  queue::claim c;
  REQUIRE(read(c, R"({"worker_id":"w","limit":null,"lease_s":5})").empty());
  REQUIRE(c.limit == 1);
  REQUIRE(c.lease_s == 5);
  REQUIRE(c.wait_s == 0);
  const auto wrong = read(c, R"({"worker_id":"w","limit":1001,"wait_s":"long"})");
  REQUIRE(wrong.size() == 2);
  REQUIRE(wrong[0].path == "limit");
  REQUIRE(wrong[0].what == "must be from 1 to 1000");
  REQUIRE(wrong[1].path == "wait_s");
  REQUIRE(wrong[1].what == "must be an integer");
}

TEST_CASE("JSON text is a value to callers and a string between nodes") {
  queue::heartbeat h;
  REQUIRE(read(h, R"({"progress":0.5,"checkpoint":{"a":[1, "x"]},"message":null})").empty());
  REQUIRE(h.progress == "0.5");
  REQUIRE(h.checkpoint == R"({"a":[1,"x"]})");
  REQUIRE(to_json(h) == R"({"progress":0.5,"message":null,"checkpoint":{"a":[1,"x"]}})");
  REQUIRE(to_complete_json(h) == R"({"id":"","token":0,"progress":"0.5","checkpoint":"{\"a\":[1,\"x\"]}"})");
}

TEST_CASE("an inlined struct has its members in the object around it") {
  profile::put p;
  REQUIRE(read(p, R"({"interest_tags":["rust"],"resumes":[1]})").empty());
  REQUIRE(p.what.interest_tags == std::vector<std::string>{"rust"});
  REQUIRE(to_json(p) == R"({"interest_tags":["rust"],"default_answers":{},"resumes":[1]})");
  REQUIRE(to_complete_json(p) == R"({"what":{"interest_tags":["rust"],"default_answers":{},"resumes":[1]}})");
}

TEST_CASE("a list that misses a member is found out") {
  static_assert(lists_every_member<complete>);
  static_assert(!lists_every_member<forgetful>);
  static_assert(!lists_every_member<forgetful_of_all>);
}
